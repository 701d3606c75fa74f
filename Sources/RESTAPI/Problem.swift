import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

/// A document of `application/problem+json` (RFC 9457).
package struct Problem {
    let status: UInt16
    let code: String
    let detail: String
    let errors: [RequestFault.Entry]

    /// Describes a fault of a request.
    init(_ fault: RequestFault) {
        status = fault.kind.status
        code = fault.code
        detail = fault.detail
        errors = fault.errors
    }

    /// Makes the reply of an error that the HTTP server itself answers: for
    /// `ServerOptions.makeProblem`, so that all errors look alike.
    package static func response(_ fault: ServerFault) -> Response {
        let problem = Problem(fault)
        return Response(problem.status, .problem, problem.document { _ in false })
    }

    private init(_ fault: ServerFault) {
        status = fault.status
        code = fault.code.rawValue
        detail = fault.detail
        errors =
            fault.hint.map {
                [RequestFault.Entry(code: fault.code.rawValue, detail: fault.detail, hint: $0)]
            } ?? []
    }

    /// Writes the document. `current` writes the object as it is, or nothing and returns false.
    func document(_ current: (JSONWriter) -> Bool) -> Bytes {
        document { object, json in
            if !errors.isEmpty {
                object.member("errors").objects(of: errors) { $0.write(to: &$1) }
            }
            let end = json.buffer.count
            if !current(object.member("current")) { json.buffer.truncate(to: end) }
        }
    }

    /// Writes the document of an import of which no line was taken, with the members of its report.
    func document(_ report: ImportReport) -> Bytes {
        document { object, _ in report.write(to: &object) }
    }

    private func document(_ rest: (inout JSONObjectWriter, JSONWriter) -> Void) -> Bytes {
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
}
