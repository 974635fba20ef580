"""What fulfils the ports: databases, object storage, news, the clock. Only `runtime/wiring.py` names these."""
