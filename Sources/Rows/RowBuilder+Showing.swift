import HoldfastBytes

/// The parts of an object that a principal may not see.
package struct HiddenParts {
    /// The properties that are hidden.
    package var properties = MemberSet()
    /// The properties with links to hidden objects, also within embedded objects and `mixed` values, and the properties with
    /// values of unknown properties.
    package var links = MemberSet()

    /// No hidden parts.
    package init() {}

    /// Whether the whole object is visible.
    package var isEmpty: Bool { properties.isEmpty && links.isEmpty }
}

extension RowBuilder {
    /// Appends a copy of a row in the current layout, as one principal may see it. Hidden properties are null or empty
    /// collections, and marked (``RowClass/hides(_:in:)``). Links to hidden objects are null, and collections lack them. Unknown
    /// properties are always null or empty, even if they contain null entries of a map.
    ///
    /// An out-of-line collection that loses a link is copied into the row; others stay out of line.
    ///
    /// - `without`: The parts to leave out.
    /// - `objects`: Whether an object is visible.
    package func append(
        _ stored: RowView, _ rowClass: RowClass, without parts: HiddenParts,
        objects: any VisibleObjects, to buffer: ByteBuffer
    ) {
        let links = LinksToHidden(objects: objects, members: parts.links, rowClass: rowClass)
        append(
            stored, rowClass, without: links, hiding: parts.properties, version: stored.version,
            to: buffer)
    }
}

/// Decides which objects and properties a principal may see.
package protocol VisibleObjects: AnyObject {
    /// The schema for reading the rows.
    var schema: RowSchema { get }
    /// Reads out-of-line values.
    var source: any OverflowSource { get }
    /// Whether the object is visible.
    func sees(classIndex: Int, key: UInt64) -> Bool
    /// Whether a property is known by its name.
    func knows(_ member: Int, of rowClass: RowClass) -> Bool
}

extension VisibleObjects {
    /// Whether a property has a value and is unknown, or contains an embedded object with such a property.
    package func holdsUnknown(_ member: Int, of rowClass: RowClass, in row: RowView) -> Bool {
        let compiled = rowClass.members[member]
        let field = rowClass.field(member, in: row)
        if field.isNull { return false }
        let isUnknown = !knows(member, of: rowClass)
        guard isUnknown || compiled.isEmbedded else { return false }
        func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
            guard let inner = RowView(bytes) else { return false }
            let innerClass = schema.classes[compiled.classIndex]
            return innerClass.linkingMembers.contains {
                holdsUnknown($0, of: innerClass, in: inner)
            }
        }
        if compiled.storage.shape == .single { return isUnknown || holds(field.heap) }
        let collection = rowClass.collection(member, in: row, source)
        if isUnknown { return collection.count > 0 }
        var found = false
        collection.forEach(within: nil) { values, offset, _ in
            if !values.isNull(offset) { found = holds(values.bytes(offset)) }
            return !found
        }
        return found
    }
}

/// The links to objects that a principal may not see.
private struct LinksToHidden: LostLinks {
    let objects: any VisibleObjects
    /// The properties of the outermost row that contain such links.
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

    func omit(_ member: Int, of rowClass: RowClass) -> Bool { !objects.knows(member, of: rowClass) }

    func remove(
        from field: Field, _ member: RowClass.Member, reference: ByteBuffer,
        _ withoutLinks: (LeafView, ByteBuffer) -> Void
    ) -> Bool? { nil }
}
