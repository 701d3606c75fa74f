import HoldfastBytes
import HoldfastJSON
import HoldfastStoreService

extension RequestBytes {
    /// The bytes of a text, as a request holds them.
    package init(_ text: String) {
        let buffer = ByteBuffer(capacity: 64)
        buffer.append(Array(text.utf8))
        buffer.append([UInt8](repeating: 0, count: JSONParser.paddingByteCount))
        self.init(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<text.utf8.count]), of: buffer)
    }
}

extension ObjectAddress {
    /// The object of a class under the text of its key.
    package init(_ className: String, _ key: String) {
        let name = RequestBytes(className)
        let text = RequestBytes(key)
        self.init(name.bytes, .text(text.bytes), of: Held([name, text]))
    }

    /// Holds what an address points into.
    private final class Held {
        private let bytes: [RequestBytes]
        init(_ bytes: [RequestBytes]) { self.bytes = bytes }
    }
}
