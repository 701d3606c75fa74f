import Foundation

/// A notification of sections' observer.
///
/// An observer's own sections that follow this alone are the sections at each call: deletions are taken out from the end, then
/// `sectionsToDelete`; then `sectionsToInsert` are put in from the beginning, empty, and insertions.
public enum SectionedResultsChange<Collection> {
    /// The sections as they were first found: told once, before everything else.
    case initial(Collection)
    /// Elements or sections went, came or have changed. What moves to another section or place is a deletion and an insertion.
    ///
    /// - `deletions`, `modifications`: By the sections before, rising. Those of a section that goes as a whole are not told.
    /// - `insertions`: By the sections after, rising, those of new sections among them.
    /// - `sectionsToInsert`: By the sections after.
    /// - `sectionsToDelete`: By the sections before.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

extension SectionDifference {
    /// The change of sections, or of one.
    func change<Collection>(of collection: Collection) -> SectionedResultsChange<Collection> {
        .update(
            collection, deletions: deletions, insertions: insertions,
            modifications: modifications, sectionsToInsert: sectionsToInsert,
            sectionsToDelete: sectionsToDelete)
    }
}
