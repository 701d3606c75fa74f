import Foundation

/// A fault of a value inside a write, which is rolled back because of it: `write` and `commitWrite` throw the first one.
public struct ValueFault: LocalizedError, CustomStringConvertible, Equatable, Sendable {
    /// A sentence for the program's author, in Realm's words where it has some.
    public let message: String

    /// The message.
    public var description: String { message }
    /// The message, which `localizedDescription` says.
    public var errorDescription: String? { message }

    init(_ message: String) { self.message = message }

    /// Fails the write that the calling code is part of. Ends the process if no write is under way.
    static func raise(_ message: String) {
        guard let core = OpenRealms.coreInWrite else { Misuse.end(message) }
        core.fail(message)
    }
}
