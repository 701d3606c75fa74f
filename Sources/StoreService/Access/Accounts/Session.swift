import HoldfastObjectModel
import HoldfastObjectStore

/// A session of an account, without its token.
package struct Session: Sendable, Equatable {
    /// The account.
    package let account: Account
    /// When it began, in seconds since 1970.
    package let began: Int64
    /// When it was used last, in seconds since 1970, as it was noted.
    package let used: Int64

    /// How long a session lasts after its last use, in seconds.
    package static let lifetime: Int64 = 30 * 86_400
    /// How old the note of its last use may be, in seconds, before it is noted again: reads would write else.
    package static let noteInterval: Int64 = 3600
    /// The most sessions of an account; the one whose last use is longest ago makes room.
    package static let countMax = 100

    /// When it ends where it is not used again, in seconds since 1970.
    package var end: Int64 { used + Self.lifetime }
}
