import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

/// Documents of `application/problem+json` (RFC 9457).
package enum Problem {
    /// Makes the reply of an error that the HTTP server itself answers: for
    /// `ServerOptions.makeProblem`, so that all errors look alike.
    package static func response(_ fault: ServerFault) -> Response {
        let (code, detail) = (fault.code.rawValue, fault.detail)
        let errors = fault.hint.map { [RequestFault.Entry(code: code, detail: detail, hint: $0)] }
        let document = document(fault.status, code, detail) { object, _ in
            write(errors ?? [], to: &object)
        }
        return Response(fault.status, .problem, document)
    }

    /// Describes a fault of a request. `current` writes the object as it is, or nothing and returns false.
    static func document(_ fault: RequestFault, _ current: (JSONWriter) -> Bool) -> Bytes {
        document(fault.kind.status, fault.code, fault.detail) { object, json in
            write(fault.errors, to: &object)
            let end = json.buffer.count
            if !current(object.member("current")) { json.buffer.truncate(to: end) }
        }
    }

    /// Describes why no line of an import was taken, with the members of its report.
    static func document(_ fault: RequestFault, _ report: ImportReport) -> Bytes {
        document(fault.kind.status, fault.code, fault.detail) { object, _ in
            report.write(to: &object)
        }
    }

    private static func document(
        _ status: UInt16, _ code: String, _ detail: String,
        _ rest: (inout JSONObjectWriter, JSONWriter) -> Void
    ) -> Bytes {
        let json = JSONWriter(ByteBuffer(capacity: 512))
        json.object { object in
            object.member("type").string("about:blank")
            object.member("title").string(reasonPhrase(status).description)
            object.member("status").int(Int64(status))
            object.member("code").string(code)
            object.member("detail").string(detail)
            rest(&object, json)
        }
        return Bytes(taking: json.buffer)
    }

    private static func write(_ errors: [RequestFault.Entry], to object: inout JSONObjectWriter) {
        if errors.isEmpty { return }
        object.member("errors").objects(of: errors) { $0.write(to: &$1) }
    }
}
