import Bytes
import HTTPServer
import JSON

extension Response {
    /// A reply whose JSON `write` writes; handed over without a copy.
    static func json(
        _ status: UInt16, type: ContentType = .json, _ write: (JSONWriter) -> Void
    ) -> Response {
        let buffer = ByteBuffer(capacity: 512)
        write(JSONWriter(buffer))
        let storage = buffer.takeStorage()
        return Response(status, type, Bytes(adopting: storage.base, count: storage.count))
    }
}
