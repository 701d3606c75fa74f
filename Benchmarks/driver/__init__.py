"""The benchmark driver: servers, load, measurements, rows and reports. `bench.py` is its command."""
