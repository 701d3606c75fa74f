import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON

extension Response {
    /// A reply whose JSON `write` writes; handed over without a copy.
    static func json(_ status: UInt16, _ write: (JSONWriter) -> Void) -> Response {
        let buffer = ByteBuffer(capacity: 512)
        write(JSONWriter(buffer))
        return Response(status, .json, Bytes(taking: buffer))
    }

    /// A reply with one JSON object, whose members `write` writes.
    static func object(_ status: UInt16, _ write: (inout JSONObjectWriter) -> Void) -> Response {
        json(status) { $0.object(write) }
    }
}
