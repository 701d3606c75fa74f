import HoldfastThreads
import Glibc

/// A request body in one piece of memory, followed by readable zero bytes.
///
/// The zero bytes are needed because simdjson reads up to 64 bytes past the end of its input.
struct RequestBody: ~Copyable {
    /// The number of readable bytes after the end of the body.
    static let paddingByteCount = 64

    private let budget: MemoryBudget
    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    /// Creates an empty body whose memory is counted in `budget`.
    init(in budget: MemoryBudget) { self.budget = budget }

    deinit {
        budget.replace(capacity, with: 0)
        free(memory)
    }

    /// The body; valid until the next change.
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Makes room for `wanted` bytes in all. Returns false if there is no memory, or no room in the budget.
    mutating func reserve(_ wanted: Int) -> Bool {
        guard wanted + RequestBody.paddingByteCount > capacity else { return true }
        // Doubling keeps the copying linear.
        let next = max(wanted + RequestBody.paddingByteCount, min(capacity * 2, 1 << 26))
        guard budget.hasRoom(for: next, insteadOf: capacity), let grown = realloc(memory, next)
        else { return false }
        budget.replace(capacity, with: next)
        memory = grown
        capacity = next
        return true
    }

    /// Appends `bytes`. Returns false if there is no memory.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let from = bytes.baseAddress, bytes.count > 0 else { return true }
        guard reserve(count + bytes.count), let memory else { return false }
        (memory + count).copyMemory(from: from, byteCount: bytes.count)
        count += bytes.count
        return true
    }

    /// Writes the zero bytes that follow the body. Returns false if there is no memory.
    mutating func pad() -> Bool {
        guard reserve(count), let memory else { return false }
        memset(memory + count, 0, RequestBody.paddingByteCount)
        return true
    }

    /// Empties the body, and releases memory that a usual request does not need.
    mutating func reset() {
        count = 0
        if capacity > MemoryBudget.freeMessageByteCountMax {
            budget.replace(capacity, with: 0)
            free(memory)
            memory = nil
            capacity = 0
        }
    }
}
