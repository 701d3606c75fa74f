extension Request {
    /// The client's address: with its port, such as `127.0.0.1:50312`, where it is the other end of the connection; without,
    /// where that is a proxy that is trusted (``ServerOptions/trustedProxies``) and says whose request it passes on.
    package var client: String {
        let trusted = connection.server.options.trustedProxies
        return trusted.isEmpty ? connection.peer : forwarder(trusted) ?? connection.peer
    }

    /// The last address before the trusted proxies; nil when there is none between.
    ///
    /// Each proxy adds the address that it was asked from at the end, so that what is before the first one that isn't trusted could be
    /// anybody's.
    private func forwarder(_ trusted: [AddressRange]) -> String? {
        func isTrusted(_ address: IPAddress) -> Bool { trusted.contains { $0.contains(address) } }
        guard let peer = IPAddress(connection.peer), isTrusted(peer) else { return nil }
        var last: IPAddress?
        for field in headers(.xForwardedFor).reversed() {
            for part in field.string.split(separator: ",").reversed() {
                let text = part.trimmingPrefix { $0 == " " || $0 == "\t" }
                    .prefix { $0 != " " && $0 != "\t" }
                guard let address = IPAddress(String(text)) else { return last?.clientText }
                last = address
                if !isTrusted(address) { return address.clientText }
            }
        }
        return last?.clientText
    }
}
