import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON

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
