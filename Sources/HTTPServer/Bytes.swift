import Glibc

/// An immutable run of bytes that can be shared by many replies and streams without a copy.
///
/// It owns `malloc`ed memory and frees it with the last reference, or refers to a constant.
// @unchecked: all fields are constants, and nobody writes to the memory after `init`.
package final class Bytes: @unchecked Sendable {
    private let base: UnsafeRawPointer?
    private let isOwned: Bool
    /// Number of bytes.
    package let count: Int

    /// Takes ownership of memory from `malloc`; it is freed by `free` with the last reference.
    ///
    /// - Important: The caller must not write to or free the memory afterwards.
    package init(adopting memory: UnsafeMutableRawPointer, count: Int) {
        base = UnsafeRawPointer(memory)
        isOwned = true
        self.count = count
    }

    /// Refers to a constant of the program.
    package init(_ text: StaticString) {
        base = UnsafeRawPointer(text.utf8Start)
        isOwned = false
        count = text.utf8CodeUnitCount
    }

    /// Copies `source`.
    package init(copying source: UnsafeRawBufferPointer) {
        guard let from = source.baseAddress, source.count > 0, let memory = malloc(source.count)
        else {
            // `malloc` of a reply's size fails only when the process is beyond help; an empty body
            // is then still a well-formed reply.
            base = nil
            isOwned = false
            count = 0
            return
        }
        memory.copyMemory(from: from, byteCount: source.count)
        base = UnsafeRawPointer(memory)
        isOwned = true
        count = source.count
    }

    /// Copies the UTF-8 of `text`.
    package convenience init(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// Copies `array`.
    package convenience init(_ array: [UInt8]) {
        let memory = array.isEmpty ? nil : malloc(array.count)
        guard let memory else {
            self.init("" as StaticString)
            return
        }
        array.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: memory, count: $0.count).copyMemory(from: $0)
        }
        self.init(adopting: memory, count: array.count)
    }

    deinit {
        if isOwned { free(UnsafeMutableRawPointer(mutating: base)) }
    }

    /// The bytes; valid as long as this object.
    package var buffer: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)
    }
}
