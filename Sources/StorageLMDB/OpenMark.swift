/// The second line of the format file: a store that is open, or was not closed in order.
///
/// It is written, durably, when the journal's files are there, and removed before they are cut: as long as it
/// exists, a store without them lacks commits. A store of a build that writes no such line has none.
enum OpenMark: String, Sendable, CaseIterable {
    /// Every commit was on the medium before it was acknowledged.
    case full = "open full"
    /// A power cut may have lost acknowledged commits.
    case relaxed = "open relaxed"

    /// The mark of a store that is opened with a durability.
    init(_ durability: LMDBOptions.Durability) {
        switch durability {
        case .full: self = .full
        case .relaxed: self = .relaxed
        }
    }
}
