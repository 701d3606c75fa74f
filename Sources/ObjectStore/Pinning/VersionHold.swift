/// The note that a version is held, as long as this is referenced; see ``HeldVersions``.
package final class VersionHold: Sendable {
    private let held: HeldVersions
    private let commit: UInt64
    private let holder: HeldVersions.Holder

    init(_ held: HeldVersions, _ commit: UInt64, _ holder: HeldVersions.Holder) {
        self.held = held
        self.commit = commit
        self.holder = holder
        held.begin(commit, holder)
    }

    deinit { held.end(commit, holder) }
}
