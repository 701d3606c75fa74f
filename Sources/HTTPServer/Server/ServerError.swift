import Glibc

/// Why a server could not start.
package struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Callers switch on this.
    package enum Code: Sendable { case badAddress, addressInUse, notPermitted, badRoutes, system }
    package let code: Code
    /// The failure and the remedy, for the operator.
    package let description: String

    static func system(_ call: String, errno number: Int32) -> ServerError {
        ServerError(
            code: .system, description: "\(call) failed: \(String(cString: strerror(number)))")
    }
}
