import Bytes
import ObjectJSON

/// A page of the sections that the objects of a query are divided into.
package struct SectionRequest: PageRequest {
    package let className: String
    /// The objects that are meant, what is shown of them, and the page of sections.
    package let text: QueryText
    /// `by`: what the objects of a section have in common.
    package let by: String?
    /// `objects`: how many objects are shown of each section.
    package let objectCount: Int?
    package let quotesLargeInts: Bool

    /// Asks for sections.
    package init(
        of className: String, _ text: QueryText, by: String?, objectCount: Int? = nil,
        quotesLargeInts: Bool = false
    ) {
        self.className = className
        self.text = text
        self.by = by
        self.objectCount = objectCount
        self.quotesLargeInts = quotesLargeInts
    }

    package func check(_ names: SchemaNames, _ limits: ServiceLimits) throws(RequestFault)
        -> CheckedSections
    {
        try CheckedSections(
            self, of: names.objectClass(named: className), names: names, limits: limits)
    }

    /// Objects are looked at until the page is full, however many that takes.
    package func isShort(_ query: CheckedSections, in view: PageView) -> Bool { false }

    package func write(
        _ query: CheckedSections, from view: PageView, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply {
        try SectionsPage(view: view, query: query, text: text).write(to: buffer)
    }
}
