import HoldfastHTTPServer
import HoldfastObjectJSON

/// The media type of a request's body.
package enum BodyType: Sendable {
    /// `application/json`, or no media type.
    case json
    /// `application/merge-patch+json` (RFC 7396).
    case mergePatch
    /// `application/json-patch+json` (RFC 6902).
    case jsonPatch

    /// Reads `Content-Type`; patches are among the types when the operation takes them.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedMediaType` for other types.
    package static func read(_ request: Request, isPatch: Bool = false) throws(RequestFault)
        -> BodyType
    {
        guard let field = request.header(.contentType),
            !field.equalsIgnoringCase("application/json")
        else { return .json }
        let parts = request.mediaTypeParts
        for part in parts.dropFirst() where part.hasPrefix("charset=") {
            let charset = part.dropFirst(8).filter { $0 != "\"" }
            if charset != "utf-8" && charset != "us-ascii" {
                throw refused(
                    "JSON is UTF-8; the charset '\(charset.prefix(32))' is not read.", isPatch)
            }
        }
        switch parts.first {
        case "application/json": return .json
        case "application/merge-patch+json" where isPatch: return .mergePatch
        case "application/json-patch+json" where isPatch: return .jsonPatch
        default:
            throw refused(
                isPatch
                    ? "This operation takes a merge patch as application/merge-patch+json or "
                        + "application/json, or a JSON patch as application/json-patch+json."
                    : "This operation takes application/json; set the header Content-Type (curl: "
                        + "-H 'Content-Type: application/json').", isPatch)
        }
    }

    /// The refusal of the type of a body that the client sends only on request (`Expect: 100-continue`); nil if the
    /// type is allowed.
    ///
    /// Handlers read the type, too, but only after the body.
    static func refusal(ofAwaitedBodyOf request: Request, isPatch: Bool) -> Response? {
        guard request.header(.expect) != nil else { return nil }
        do throws(RequestFault) {
            _ = try read(request, isPatch: isPatch)
            return nil
        } catch { return Response(error) }
    }

    private static func refused(_ detail: String, _ isPatch: Bool) -> RequestFault {
        RequestFault(
            isPatch ? .unsupportedPatchType : .unsupportedMediaType, "unsupported-media-type",
            detail,
            alternatives: isPatch
                ? "application/merge-patch+json, application/json, application/json-patch+json"
                : "application/json")
    }
}

extension Request {
    /// The media type of the body and its parameters, in lower case without blanks; empty without a media type.
    var mediaTypeParts: [String] {
        let text = header(.contentType)?.string.lowercased().filter { $0 != " " && $0 != "\t" }
        return text?.split(separator: ";", omittingEmptySubsequences: false).map(String.init) ?? []
    }
}

// The only content negotiation of the service (RFC 9110, section 12.5.1).
extension Request {
    /// Whether the client takes a media type.
    package func accepts(_ type: StaticString) -> Bool { (acceptance(of: type)?.quality ?? 0) > 0 }

    /// The offered types that the client accepts, as positions in `offered`, the most wanted first: by `q`, then the more
    /// precisely named, then the type named first, then the type offered first. Never empty.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable`, with the offered forms, if it accepts no form.
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
    /// The client accepts no media type that the operation offers.
    static func notAccepted(_ offered: [StaticString]) -> RequestFault {
        var names = offered.map { "\($0)" }
        let last = names.removeLast()
        let list = names.isEmpty ? last : "\(names.joined(separator: ", ")) and \(last)"
        return RequestFault(
            .notAcceptable, "not-acceptable",
            "This operation answers \(list), which Accept excludes.")
    }
}
