import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
extension Response {
    /// A reply whose JSON `write` writes; handed over without a copy.
    static func json(_ status: UInt16, _ write: (JSONWriter) -> Void) -> Response {
        let buffer = ByteBuffer(capacity: 512)
        write(JSONWriter(buffer))
        let (base, count) = buffer.takeStorage()
        return Response(status, .json, Bytes(adopting: base, count: count))
    }
}
