import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore

extension RESTService {
    /// Makes the reply of an error to a request with a grant.
    ///
    /// The reply tells a user how to find out whether the access document hides a class, in the same words for a
    /// class that does not exist.
    func response(_ fault: RequestFault, to grant: Grant?) -> Response {
        guard fault.kind == .notFound, fault.code == "unknown-class", access.hasDocument,
            let grant, principal(of: grant) != nil
        else { return response(fault) }
        var fault = fault
        fault.detail += Self.accessHint
        return response(fault)
    }

    /// The next step if a class is unknown to a user.
    static let accessHint =
        " If a role should let you use it, ask an admin to find the reason with 'holdfast access explain' or POST /v1/access/explain."

    /// Makes the reply of an error.
    ///
    /// Of a 412 the reply carries the object as it is; when that can't be read it is left out.
    package func response(_ fault: RequestFault) -> Response {
        var response = Response(fault, current: fault.current.flatMap { current($0, fault) })
        switch fault.kind {
        case .unsupportedOperation: response.headers.add(.allow, fault.alternatives ?? "OPTIONS")
        case .notAcceptable: response.headers.add(.vary, "Accept" as StaticString)
        case .unsupportedMediaType:
            if let types = fault.alternatives { response.headers.add(.accept, types) }
        case .unsupportedPatchType:
            if let types = fault.alternatives { response.headers.add(.acceptPatch, types) }
        default: break
        }
        if let object = fault.current {
            let version = object.withRow { $0.version }
            if let version {
                response.headers.addETag(StoreVersion(epoch: store.epoch, number: version))
            }
            response.headers.addApplied(quotesLargeInts: fault.quotesLargeInts)
        }
        return response
    }

    /// `{"etag","object"}` of the current object of a fault; nil when it can't be read.
    private func current(_ object: StoredObject, _ fault: RequestFault) -> ByteBuffer? {
        guard let version = object.withRow({ $0.version }) else { return nil }
        let names = served.names(of: object.schema)
        let json = JSONWriter(ByteBuffer(capacity: 512))
        json.raw("{\"etag\":")
        json.string(StoreVersion(epoch: store.epoch, number: version).description)
        json.raw(",\"object\":")
        if let shown = fault.currentJSON {
            json.buffer.append(shown)
            json.raw("}")
            return json.buffer
        }
        do throws(RequestFault) {
            // The caller may see the object. Of its link targets only keys are shown.
            let followsLinks = names.everything[object.classIndex].followsLinks
            try served.withLinks(followsLinks || object.holdsOverflow, for: .program) { read in
                var writer = ObjectWriter(json.buffer, names: names, read: read, epoch: store.epoch)
                writer.quotesLargeInts = fault.quotesLargeInts
                writer.limitCollections(served.limits)
                writer.write(object)
            }
        } catch { return nil }
        json.raw("}")
        return json.buffer
    }
}

extension Response {
    /// Makes the common part of error replies.
    ///
    /// - `current`: The object as it is, as JSON.
    init(_ fault: RequestFault, current: ByteBuffer? = nil) {
        let status = fault.kind.status
        let document = Bytes(problem: status, fault.code, fault.detail) { object in
            if !fault.errors.isEmpty {
                object.member("errors").objects(of: fault.errors) { $0.write(to: &$1) }
            }
            if let current { object.member("current").raw(current.bytes) }
        }
        self.init(status, .problem, document)
        if let seconds = fault.retryAfterSeconds { headers.add(.retryAfter, String(seconds)) }
        if fault.kind == .unauthenticated { headers.addChallenge(for: fault) }
    }
}

extension Headers {
    /// Names the credentials that would admit a request (RFC 6750, section 3).
    fileprivate mutating func addChallenge(for fault: RequestFault) {
        add(
            .wwwAuthenticate,
            fault.code == "token-missing"
                ? "Bearer realm=\"holdfast\""
                : "Bearer realm=\"holdfast\", error=\"invalid_token\"" as StaticString)
    }
}

extension HeaderName {
    /// Which media types a PATCH takes (RFC 5789, section 3.1).
    static let acceptPatch = HeaderName("Accept-Patch")
}

extension RequestFault.Kind {
    /// The HTTP status of a fault (RFC 9110, section 15; RFC 4918 for 507). The only place where a
    /// fault becomes a status; no `default`, so that a new kind needs a choice.
    var status: UInt16 {
        switch self {
        case .malformed: 400
        case .unauthenticated: 401
        case .forbidden: 403
        case .notFound: 404
        case .unsupportedOperation: 405
        case .notAcceptable: 406
        case .tooSlow: 408
        case .conflict: 409
        case .expired: 410
        case .preconditionFailed: 412
        case .tooLarge: 413
        case .unsupportedMediaType, .unsupportedPatchType: 415
        case .misdirected: 421
        case .invalid: 422
        case .tooOften: 429
        case .failed: 500
        case .unavailable: 503
        case .storageFull: 507
        }
    }
}

/// The replies of errors that the HTTP server itself answers.
package enum Problem {
    /// Makes one: for `ServerOptions.makeProblem`, so that all errors look alike.
    package static func response(_ fault: ServerFault) -> Response {
        let (code, detail) = (fault.code.rawValue, fault.detail)
        let document = Bytes(problem: fault.status, code, detail) { object in
            guard let hint = fault.hint else { return }
            object.member("errors").objects(of: CollectionOfOne(hint)) {
                RequestFault.Entry(code: code, detail: detail, hint: $0).write(to: &$1)
            }
        }
        return Response(fault.status, .problem, document)
    }
}

extension Response {
    /// A reply with the JSON that `write` writes, handed over without a copy.
    static func json(_ status: UInt16, _ write: (JSONWriter) -> Void) -> Response {
        let buffer = ByteBuffer(capacity: 512)
        write(JSONWriter(buffer))
        return Response(status, .json, Bytes(taking: buffer))
    }

    /// A reply with one JSON object, with the members that `write` writes.
    static func object(_ status: UInt16, _ write: (inout JSONObjectWriter) -> Void) -> Response {
        json(status) { $0.object(write) }
    }
}
