/// A fault of a value inside a write, which is rolled back because of it: `write` and `commitWrite` throw the first one.
public struct ValueFault: Error, CustomStringConvertible, Equatable, Sendable {
    /// A sentence for the program's author, in Realm's words where it has some.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ message: String) { self.message = message }
}
