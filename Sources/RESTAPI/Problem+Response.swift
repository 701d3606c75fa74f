import Bytes
import HTTPServer
import JSON
import ObjectStore

extension RESTService {
    /// Makes the reply of an error.
    ///
    /// Of a 412 the reply carries the object as it is; when that can't be read it is left out.
    package func response(_ problem: Problem) -> Response {
        var response = Response(
            problem.status, .problem,
            problem.document { writer in
                guard let object = problem.current else { return false }
                return writeCurrent(object, to: writer)
            })
        if let seconds = problem.retryAfterSeconds {
            response.headers.add(.retryAfter, String(seconds))
        }
        if problem.status == 405 { response.headers.add(.allow, problem.allow ?? "OPTIONS") }
        if problem.status == 406 { response.headers.add(.vary, "Accept" as StaticString) }
        if problem.status == 415, let accepted = problem.accept {
            response.headers.add(problem.acceptsPatch ? .acceptPatch : .accept, accepted)
        }
        if let object = problem.current {
            let version = object.withRow { $0.version }
            if let version {
                response.headers.addETag(StoreVersion(epoch: store.epoch, number: version))
            }
        }
        return response
    }

    /// Writes `{"etag","object"}`; false with nothing written when the object can't be read.
    private func writeCurrent(_ object: StoredObject, to json: JSONWriter) -> Bool {
        guard let version = object.withRow({ $0.version }) else { return false }
        let names = names(of: object.schema)
        let start = json.buffer.count
        json.raw("{\"etag\":")
        json.string(StoreVersion(epoch: store.epoch, number: version).description)
        json.raw(",\"object\":")
        do throws(Problem) {
            let followsLinks = names.classes[object.classIndex].everything.followsLinks
            try withLinks(followsLinks || object.holdsOutside) { read in
                var writer = ObjectWriter(json.buffer, names: names, read: read, epoch: store.epoch)
                writer.limitCollections(options)
                writer.write(object)
            }
        } catch {
            json.buffer.truncate(to: start)
            return false
        }
        json.raw("}")
        return true
    }
}

extension Problem {
    /// The problem as a document of `application/problem+json`. `current` writes the object as it is, or
    /// nothing and returns false.
    func document(_ current: (JSONWriter) -> Bool) -> HTTPServer.Bytes {
        let json = JSONWriter(ByteBuffer(capacity: 512))
        json.raw("{\"type\":\"about:blank\",\"title\":")
        json.string(Self.title(status))
        json.raw(",\"status\":")
        json.uint(UInt64(status))
        json.raw(",\"code\":")
        json.string(code)
        json.raw(",\"detail\":")
        json.string(detail)
        if !errors.isEmpty {
            json.raw(",\"errors\":")
            json.array { list in
                for fault in errors { list.element().object { fault.write(&$0) } }
            }
        }
        let end = json.buffer.count
        json.raw(",\"current\":")
        if !current(json) { json.buffer.truncate(to: end) }
        json.raw("}")
        let (base, count) = json.buffer.takeStorage()
        return HTTPServer.Bytes(adopting: base, count: count)
    }

    /// The name of a status (RFC 9110, section 15, and RFC 6585), as `about:blank` asks for.
    static func title(_ status: UInt16) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 507: "Insufficient Storage"
        default: "Error"
        }
    }
}

extension Problem.Fault {
    fileprivate func write(_ object: inout JSONObjectWriter) {
        object.member("code").string(code)
        object.member("detail").string(detail)
        if let pointer { object.member("pointer").string(pointer) }
        if let parameter { object.member("parameter").string(parameter) }
        if let column { object.member("column").int(Int64(column)) }
        if let hint { object.member("hint").string(hint) }
    }
}

extension Problem {
    /// The problem of an error that the HTTP server itself answers: for
    /// `ServerOptions.makeProblem`, so that all errors look alike.
    package static func response(_ fault: ServerFault) -> Response {
        let problem = Problem(fault.status, fault.code.rawValue, fault.detail)
        return Response(fault.status, .problem, problem.document { _ in false })
    }
}

extension HeaderName {
    /// Which media types a PATCH takes (RFC 5789, section 3.1).
    static let acceptPatch = HeaderName("Accept-Patch")
}
