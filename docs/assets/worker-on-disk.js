// Browsers give no workers to pages opened from disk, and the search runs in one.
// There, a hidden frame takes the worker's place.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(script) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      const page = [
        "<script>",
        "self.importScripts = (...urls) => urls.reduce((before, url) => before.then(() =>",
        "  new Promise((done, failed) => {",
        "    const element = document.createElement('script');",
        "    Object.assign(element, { src: url, onload: done, onerror: failed });",
        "    document.body.appendChild(element);",
        "  })), Promise.resolve());",
        "self.postMessage = data => parent.postMessage({ fromWorker: true, data }, '*');",
        "</" + "script>",
        `<body><script src="${new URL(script, document.baseURI)}"></` + "script></body>",
      ].join("\n");
      this.loaded = new Promise((done) => (this.frame.onload = done));
      this.frame.srcdoc = page;
      document.body.appendChild(this.frame);
      window.addEventListener("message", (event) => {
        if (event.source === this.frame.contentWindow && event.data.fromWorker) {
          const message = new MessageEvent("message", { data: event.data.data });
          this.dispatchEvent(message);
          if (this.onmessage) this.onmessage(message);
        }
      });
    }
    postMessage(data) {
      const send = () => {
        const target = this.frame.contentWindow;
        target.dispatchEvent(new target.MessageEvent("message", { data }));
      };
      this.loaded.then(send);
    }
    terminate() {
      this.frame.remove();
    }
  };
}
