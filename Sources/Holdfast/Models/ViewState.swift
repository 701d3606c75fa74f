import Glibc

/// The state of a view that each access to a managed object compares with, reached by a raw pointer.
///
/// A realm owns one; its objects hold its address and the realm itself. Public because accesses are inlined into programs.
public struct ViewState {
    /// The thread that the view was last used on; 0 for a frozen one, which any thread may read.
    @usableFromInline var thread: UInt
    /// Counts the changes of what objects see: one whose generation is another looks its row up again.
    @usableFromInline var generation: UInt64

    /// Instead of a thread's number: each access asks the realm first.
    static let nobody = UInt.max

    init(thread: UInt) {
        self.thread = thread
        generation = 1
    }

    /// The present thread's number.
    @inlinable @inline(__always) static var currentThread: UInt { UInt(pthread_self()) }

    /// Whether a note that an object made under a generation holds, on the present thread.
    @inlinable @inline(__always)
    func holds(_ generation: UInt64) -> Bool {
        generation == self.generation && (thread == Self.currentThread || thread == 0)
    }
}
