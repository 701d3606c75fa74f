import HTTPServer
import JSON

extension Problem {
    /// The problem as a reply.
    func response() -> Response {
        var response = Response.json(status, type: .problem) { writer in
            writer.object { object in
                object.member("type").string("about:blank")
                object.member("title").string(code)
                object.member("status").uint(UInt64(status))
                object.member("code").string(code)
                object.member("detail").string(detail)
                if !errors.isEmpty {
                    object.member("errors").array { array in
                        for fault in errors {
                            array.element().object { object in
                                object.member("code").string(fault.code)
                                object.member("detail").string(fault.detail)
                                if let pointer = fault.pointer { object.member("pointer").string(pointer) }
                                if let parameter = fault.parameter {
                                    object.member("parameter").string(parameter)
                                }
                                if let column = fault.column { object.member("column").int(Int64(column)) }
                                if let hint = fault.hint { object.member("hint").string(hint) }
                            }
                        }
                    }
                }
            }
        }
        if let retryAfterSeconds { response.headers.add(.retryAfter, String(retryAfterSeconds)) }
        return response
    }
}
