"""A container's health check: exit 0 if the processor in it has caught up. No curl needed."""

import sys
import urllib.error
import urllib.request

from pitledger.sources.environment import Environment


def main() -> None:
    port = Environment().whole("HTTP_PORT", 9100)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=4) as answer:
            print(answer.read().decode().strip())
    except urllib.error.HTTPError as error:
        sys.exit(error.read().decode().strip())
    except OSError as error:
        sys.exit(f"port {port}: {error}")


if __name__ == "__main__":
    main()
