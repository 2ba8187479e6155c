"""A model behind HTTP, with nothing but Python's standard library.

GET /health says whether it is ready, POST /predict answers {"x": [...]} with {"y": ...}.
"""

import http.server
import json
import os
import signal
import threading
import time

ADDRESS = (os.environ.get("TIDEGATE_HOST", "127.0.0.1"), int(os.environ.get("TIDEGATE_PORT", "8000")))
# As if there were more to load.
LOAD_SECONDS = float(os.environ.get("LOAD_SECONDS", "0.5"))
# What a training has saved; without it, a model that adds up.
MODEL = os.environ.get("MODEL")

weights = None
is_leaving = False


def load():
    global weights
    time.sleep(LOAD_SECONDS)
    if MODEL:
        with open(MODEL) as file:
            weights = json.load(file)["weights"]
    else:
        weights = [1.0] * 8
    print("ready", flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path != "/health":
            return self.answer(404, {"error": "there are /health and /predict"})
        is_ready = weights is not None and not is_leaving
        self.answer(200 if is_ready else 503, {"ready": is_ready, "replica": os.environ.get("TIDEGATE_REPLICA")})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path != "/predict":
            return self.answer(404, {"error": "there are /health and /predict"})
        if weights is None:
            return self.answer(503, {"error": "the model is being loaded"})
        try:
            x = [float(value) for value in json.loads(body)["x"]]
        except (ValueError, KeyError, TypeError):
            return self.answer(400, {"error": 'send {"x": [numbers]}'})
        self.answer(200, {"y": sum(a * b for a, b in zip(weights, x))})

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(ADDRESS, Handler)
    # Requests that were taken are answered before it ends.
    server.daemon_threads, server.block_on_close = False, True

    def on_sigterm(_signal, _frame):
        global is_leaving
        is_leaving = True
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, on_sigterm)
    threading.Thread(target=load, daemon=True).start()
    print(f"listening on {ADDRESS[0]}:{ADDRESS[1]}", flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    print("asked to stop: all requests are answered", flush=True)


if __name__ == "__main__":
    main()
