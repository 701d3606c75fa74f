import Foundation
@_spi(Testing) import Holdfast
import Testing

/// What ends a process, and the message with which it does.
struct Mistake: Sendable {
    let message: String
    let program: @Sendable (Realm) throws -> Void

    init(_ message: String, _ program: @escaping @Sendable (Realm) throws -> Void) {
        self.message = message
        self.program = program
    }

    /// Runs the program in a process that is to end, and tells on standard error what the observer is told.
    func run(_ realm: Realm) throws {
        Misuse.observe { print("told: \($0)", to: &StandardError.stream) }
        try program(realm)
    }

    /// Checks that the process has ended with the message, and that the observer was told it.
    func check(_ result: ExitTest.Result?) {
        let told = result.message.range(of: "told: ").map { result.message[$0.upperBound...] } ?? ""
        #expect(told.contains(message), "\(result.message)")
    }
}
