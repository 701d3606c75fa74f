import HoldfastHTTPServer
import HoldfastObjectJSON

// The only content negotiation of the service (RFC 9110, section 12.5.1).
extension Request {
    /// Whether the client takes a media type.
    package func accepts(_ type: StaticString) -> Bool {
        (acceptance(of: type)?.quality ?? 0) > 0
    }

    /// The types that the client takes of those that an operation offers, as positions in `offered`, what it
    /// wants most first: by `q`; of equals the one that is named more precisely, then the one that is
    /// named first, then the one that is offered first. Never empty.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` when it takes none, with what is offered.
    package func accepted(of offered: [StaticString]) throws(RequestFault) -> [Int] {
        typealias Rank = (quality: Int, precision: Int, position: Int, offer: Int)
        var found: [Rank] = []
        for (offer, type) in offered.enumerated() {
            guard let own = acceptance(of: type), own.quality > 0 else { continue }
            found.append((own.quality, own.precision, -own.position, -offer))
        }
        if found.isEmpty { throw .notAccepted(offered) }
        found.sort { $0 > $1 }
        return found.map { -$0.offer }
    }

    /// Refuses a client that does not take a media type, the only one of an operation. Cost: a pass over
    /// the headers, without allocation.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable`.
    package func requireAccepted(_ type: StaticString) throws(RequestFault) {
        if !accepts(type) { throw .notAccepted([type]) }
    }
}

extension RequestFault {
    /// The client takes none of the media types that an operation offers.
    static func notAccepted(_ offered: [StaticString]) -> RequestFault {
        var names = offered.map { "\($0)" }
        let last = names.removeLast()
        let list = names.isEmpty ? last : "\(names.joined(separator: ", ")) and \(last)"
        return RequestFault(
            .notAcceptable, "not-acceptable",
            "This operation answers \(list), which Accept leaves out.")
    }
}
