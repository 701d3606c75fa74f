import Foundation
import Synchronization

/// The only place where mistakes of the program that uses the library are reported.
///
/// A fault that a value can cause inside a write (its type, size, range or key) makes `write` throw and roll back, see
/// ``Realm/write(withoutNotifying:_:)``. A mistake in the program (another thread, no transaction, a deleted object, an index
/// out of bounds) ends the process, with the message on standard error.
public enum Misuse {
    private static let observer = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Passes each message to `observer`, on the thread that made the fault and before anything else happens; nil ends that.
    ///
    /// For tests. Thread-safe.
    @_spi(Testing) public static func observe(_ observer: (@Sendable (String) -> Void)?) {
        Self.observer.withLock { $0 = observer }
    }

    static func tell(_ message: String) {
        let present = observer.withLock { $0 }
        present?(message)
    }

    /// The message for operations that only a managed collection has.
    ///
    /// - `kind`: The type of collection.
    static func unmanaged(_ kind: some StringProtocol) -> String {
        "This method may only be called on \(kind) instances retrieved from a Realm."
    }

    /// Ends the process because a position is out of range.
    static func endOutOfBounds(_ index: Int, _ count: Int) -> Never {
        if index < 0 { end("Cannot use a negative value \(index) as an index.") }
        end("Index \(index) is out of bounds (must be less than \(count)).")
    }

    /// Ends the process because of a mistake in the program.
    @usableFromInline static func end(_ message: String) -> Never {
        tell(message)
        fatalError(message)
    }
}

/// A fault of a value inside a write, which is rolled back because of it: `write` and `commitWrite` throw the first one.
public struct ValueFault: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// A sentence for the program's author, in Realm's words if Realm has a message for the fault.
    public let message: String

    /// The message.
    public var description: String { message }
    /// The message, which `localizedDescription` returns.
    public var errorDescription: String? { message }

    init(_ message: String) { self.message = message }

    /// Fails the write that the calling code is part of. Ends the process if no write is under way.
    static func raise(_ message: String) {
        guard let core = OpenRealms.coreInWrite else { Misuse.end(message) }
        core.fail(message)
    }
}
