import HoldfastBytes

/// The parts of an object that somebody does not see.
package struct HiddenParts {
    /// The properties that are hidden.
    package var properties = MemberSet()
    /// The properties of which some links lead to objects that are hidden, also within embedded objects and `mixed` values.
    package var links = MemberSet()

    /// Nothing.
    package init() {}

    /// Whether all of the object is seen.
    package var isEmpty: Bool { properties.isEmpty && links.isEmpty }
}

extension RowBuilder {
    /// Appends a copy of a row in the current layout as it is shown to somebody: hidden properties are null, their collections
    /// empty, and marked (``RowClass/hides(_:in:)``); links to hidden objects are null, and collections lack them.
    ///
    /// Out-of-line collections that lack a link are copied into the row, others stay where they are.
    ///
    /// - `without`: The parts to be left out.
    /// - `objects`: Whether an object is seen.
    package func append(
        _ stored: RowView, _ rowClass: RowClass, without parts: HiddenParts,
        objects: any SeenObjects, to buffer: ByteBuffer
    ) {
        let links = LinksToHidden(objects: objects, members: parts.links, rowClass: rowClass)
        append(
            stored, rowClass, without: links, hiding: parts.properties, version: stored.version,
            to: buffer)
    }
}

/// Knows which objects somebody sees.
package protocol SeenObjects: AnyObject {
    /// The schema that the rows are read with.
    var schema: RowSchema { get }
    /// Reads out-of-line values.
    var source: any OverflowSource { get }
    /// Whether the object is seen.
    func sees(classIndex: Int, key: UInt64) -> Bool
}

/// The links to objects that somebody does not see.
private struct LinksToHidden: LostLinks {
    let objects: any SeenObjects
    /// The properties of the outermost row that hold such links.
    let members: MemberSet
    let rowClass: RowClass

    var schema: RowSchema { objects.schema }
    var source: (any OverflowSource)? { objects.source }

    func concern(_ member: Int, of rowClass: RowClass) -> Bool {
        rowClass === self.rowClass
            ? members.contains(member) : rowClass.linkingMembers.contains(member)
    }

    func include(classIndex: Int, key: UInt64) -> Bool {
        !objects.sees(classIndex: classIndex, key: key)
    }

    func include(_ row: RowView, _ member: RowClass.Member) -> Bool { false }

    func remove(
        from field: Field, _ member: RowClass.Member, reference: ByteBuffer,
        _ withoutLinks: (LeafView, ByteBuffer) -> Void
    ) -> Bool? { nil }
}
