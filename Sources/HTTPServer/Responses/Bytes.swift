import HoldfastThreads
import Glibc
import HoldfastBytes
import HoldfastJSON

/// An immutable run of bytes that many replies and streams can share without a copy.
///
/// The storage is one allocation with the reference count, memory from `malloc` that is freed with the last reference, memory of
/// another owner, which is retained, or a constant of the program.
// @unchecked: the memory is not written after `init`, and the storage's count is atomic.
package struct Bytes: @unchecked Sendable {
    /// The owner of the bytes, which follow it in memory unless they were adopted.
    final class Storage: ManagedBuffer<UnsafeMutableRawPointer?, UInt8> {
        // The header is the memory that was adopted.
        deinit { withUnsafeMutablePointerToHeader { free($0.pointee) } }
    }

    /// The owner of the bytes; nil for constants.
    let storage: AnyObject?
    private let base: UnsafeRawPointer?
    package let count: Int

    /// Takes ownership of memory from `malloc`; it is freed by `free` with the last reference.
    ///
    /// - Important: The caller must not write to or free the memory afterwards.
    package init(adopting memory: UnsafeMutableRawPointer, count: Int) {
        storage = Self.makeStorage(0, adopting: memory)
        base = UnsafeRawPointer(memory)
        self.count = count
    }

    /// Takes over the bytes of a buffer, which is empty afterwards.
    package init(taking buffer: ByteBuffer) {
        let (base, count) = buffer.takeStorage()
        self.init(adopting: base, count: count)
    }

    /// Refers to bytes of `owner`, which must stay valid and unchanged as long as `owner` lives. Cost: a reference.
    package init(_ bytes: UnsafeRawBufferPointer, keptBy owner: AnyObject) {
        storage = owner
        base = bytes.baseAddress
        count = bytes.count
    }

    /// Refers to a constant of the program.
    package init(_ text: StaticString) {
        storage = nil
        base = UnsafeRawPointer(text.utf8Start)
        count = text.utf8CodeUnitCount
    }

    /// Copies `source`. Cost: one allocation.
    package init(copying source: UnsafeRawBufferPointer) {
        let storage = Self.makeStorage(source.count, adopting: nil)
        base = storage.withUnsafeMutablePointerToElements { elements in
            if let from = source.baseAddress { memcpy(elements, from, source.count) }
            return UnsafeRawPointer(elements)
        }
        self.storage = storage
        count = source.count
    }

    /// Copies the UTF-8 of `text`.
    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { Bytes(copying: UnsafeRawBufferPointer($0)) }
    }

    /// Copies `array`.
    package init(_ array: [UInt8]) { self = array.withUnsafeBytes { Bytes(copying: $0) } }

    private static func makeStorage(
        _ capacity: Int, adopting memory: UnsafeMutableRawPointer?
    ) -> Storage {
        unsafeDowncast(Storage.create(minimumCapacity: capacity) { _ in memory }, to: Storage.self)
    }

    /// The bytes; valid as long as this value is referenced.
    package var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }
}

extension Bytes {
    /// Creates a document of `application/problem+json` (RFC 9457).
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

/// The bytes of a reply that count as memory until libmicrohttpd has sent them.
final class HeldReply {
    private let bytes: Bytes
    private let memory: MemoryBudget

    init(_ bytes: Bytes, in memory: MemoryBudget) {
        self.bytes = bytes
        self.memory = memory
        memory.replace(0, with: bytes.count)
    }

    deinit { memory.replace(bytes.count, with: 0) }
}
