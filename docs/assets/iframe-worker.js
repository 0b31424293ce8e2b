// Browsers start no worker for a page that was opened from a disk. There the search runs in a hidden frame: a `Worker` with the
// same methods, which hands messages in and out as events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const inside = this.frame.contentWindow
      const run = source => new Promise((done, fail) => {
        const script = inside.document.createElement("script")
        script.src = source
        script.onload = done
        script.onerror = fail
        inside.document.body.append(script)
      })
      inside.importScripts = (...sources) => sources.reduce((before, source) => before.then(() => run(source)), Promise.resolve())
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      run(address).then(() => {
        this.isReady = true
        for (const data of this.waiting) this.postMessage(data)
      })
    }

    postMessage(data) {
      if (this.isReady) this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
      else this.waiting.push(data)
    }

    terminate() { this.frame.remove() }
  }
}
