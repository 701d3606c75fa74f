import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET …/objects`: a page of a query that is stated in the URL, in the names of the class. A projection shows each
    /// object in its own.
    func listObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try answerPage(
            of: .objects(kind.container(request)), request, forms: try ListForm.read(request))
    }
}

/// Appends the request's own target without its cursor, up to where the next cursor goes.
func appendNextTarget(of request: Request, to target: ByteBuffer) {
    let raw = request.rawTarget.bytes
    let mark = raw.firstIndex(of: UInt8(ascii: "?")) ?? raw.endIndex
    target.append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(raw)[..<mark]))
    target.append("?")
    var start = mark + 1
    while start < raw.count {
        var end = start
        while end < raw.count, raw[end] != UInt8(ascii: "&") { end += 1 }
        let part = RequestText(UnsafeBufferPointer(rebasing: raw[start..<end]))
        if !part.isEmpty, part != "cursor", !part.hasPrefix("cursor=") {
            target.append(UnsafeRawBufferPointer(part.bytes))
            target.append("&")
        }
        start = end + 1
    }
}
