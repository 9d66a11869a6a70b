pytest_plugins = ["svc_emulator"]
