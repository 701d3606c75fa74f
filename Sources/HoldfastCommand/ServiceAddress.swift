/// The address at which the service of a store probably listens: what `--listen` or its variable says, else the
/// default. An address that means every interface is reached by loopback.
struct ServiceAddress {
    /// An address for texts.
    static let example = "http://127.0.0.1:8080"

    /// The host, without brackets.
    var host: String
    /// The port.
    var port: String

    /// Reads `--listen`; an address of another form is left to the connection to refuse.
    init(_ arguments: Arguments) {
        let text = arguments.text("listen") ?? Environment.listen ?? Verb.defaultListen
        let colon = text.lastIndex(of: ":")
        host = String(text[..<(colon ?? text.endIndex)])
        port = colon.map { String(text[text.index(after: $0)...]) } ?? "8080"
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "0.0.0.0" { host = "127.0.0.1" }
        if host == "::" { host = "::1" }
    }

    /// `http://host:port`
    var url: String { "http://\(authority)" }

    /// What to do in place of opening the directory of a store that a service has open.
    var instead: String { "a running service does it too: give --url \(url) in place of --data" }

    /// `host:port`, with brackets around IPv6 addresses.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
