import HoldfastRESTAPI

extension Verb {
    static let health = Verb(
        name: "health", summary: "Asks a running service whether it is ready; for health checks.",
        options: [listenOption, Option("timeout", "DURATION", "how long to wait", fallback: "3s")],
        notes: "Exit code 0 when it is ready, otherwise 1. 0.0.0.0 and :: are asked over loopback."
    ) { arguments throws(CommandFailure) in
        if let text = arguments.text("listen"), text.contains("://") {
            throw .usage("--listen is HOST:PORT, not '\(text)'")
        }
        let address = ServiceAddress(arguments)
        let timeout = try arguments.seconds("timeout") ?? 3
        let client = ServiceClient(url: address.url, timeoutSeconds: timeout)
        let (status, _) = try client.send("GET", "/health/ready")
        guard status == 200 else {
            throw CommandFailure("the service at \(address.authority) answers \(status): not ready")
        }
        Terminal.write("holdfast: ready\n")
        return .success
    }
}

extension Verb {
    static let version = Verb(name: "version", summary: "Prints the version.") { _ in
        Terminal.write("holdfast \(ServiceVersion.text)\n")
        return .success
    }
}
