import HoldfastBytes
import HoldfastJSON

extension Bytes {
    /// A document of `application/problem+json` (RFC 9457).
    ///
    /// - `rest`: Adds further members.
    package init(
        problem status: UInt16, _ code: String, _ detail: String,
        _ rest: (inout JSONObjectWriter) -> Void = { _ in }
    ) {
        let json = JSONWriter(ByteBuffer(capacity: 512))
        json.object { object in
            object.member("type").string("about:blank")
            object.member("title").string(reasonPhrase(status))
            object.member("status").uint(UInt64(status))
            object.member("code").string(code)
            object.member("detail").string(detail)
            rest(&object)
        }
        self.init(taking: json.buffer)
    }
}
