import StoreService

/// Sections as a client states them, before they are checked.
struct SectionText: Sendable {
    /// The objects that are meant, what is shown of them, and the page of sections.
    var query: QueryText
    /// `by`: what the objects of a section have in common.
    var by: String?
    /// `objects`: how many objects are shown of each section.
    var objectCount: Int?
}
