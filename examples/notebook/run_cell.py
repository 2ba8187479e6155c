"""Runs one cell in a notebook server, as a browser does it: HTTP for the kernel, a WebSocket for what it says.

    python3 run_cell.py LINK CODE

LINK is what `tidegate open NAME --url` prints.
"""

import json
import sys
import uuid

import requests
import websocket

PATIENCE = 120


def main(link, code):
    session = requests.Session()
    # The link gives a cookie and leads on to the notebook.
    page = session.get(link, timeout=PATIENCE)
    page.raise_for_status()
    # http://HOST:PORT/WORKSPACE/NAME, whatever page of it came first.
    base = "/".join(page.url.split("/")[:5])
    # Jupyter wants its own cookie said again in a header for what changes something.
    headers = {"X-XSRFToken": session.cookies.get("_xsrf", "")}
    answer = session.post(f"{base}/api/kernels", json={}, headers=headers, timeout=PATIENCE)
    answer.raise_for_status()
    kernel = answer.json()["id"]
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in session.cookies)
    address = base.replace("http", "ws", 1) + f"/api/kernels/{kernel}/channels"
    origin = "/".join(page.url.split("/")[:3])
    channel = websocket.create_connection(address, cookie=cookies, origin=origin, timeout=PATIENCE)
    request = {
        "channel": "shell",
        "header": {
            "msg_id": uuid.uuid4().hex,
            "msg_type": "execute_request",
            "session": uuid.uuid4().hex,
            "username": "",
            "version": "5.3",
        },
        "parent_header": {},
        "metadata": {},
        "content": {"code": code, "silent": False},
        "buffers": [],
    }
    channel.send(json.dumps(request))
    # The answer and the end of the output come by different ways, in any order.
    is_ok, is_idle = None, False
    while is_ok is None or not is_idle:
        message = json.loads(channel.recv())
        if message["parent_header"].get("msg_id") != request["header"]["msg_id"]:
            continue
        content = message["content"]
        if message["msg_type"] == "stream":
            print(content["text"], end="")
        elif message["msg_type"] == "error":
            print("\n".join(content["traceback"]), file=sys.stderr)
        elif message["msg_type"] == "execute_reply":
            is_ok = content["status"] == "ok"
        elif message["msg_type"] == "status" and content["execution_state"] == "idle":
            is_idle = True
    channel.close()
    session.delete(f"{base}/api/kernels/{kernel}", headers=headers, timeout=PATIENCE)
    return 0 if is_ok else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
