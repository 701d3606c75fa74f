import ObjectModel

/// A class made ready for rows: numbers instead of names, and where each property lies in rows of
/// every layout. Immutable; safe to use from any thread.
public final class RowClass: @unchecked Sendable {
    // Unchecked because of the pointers below: they are made in `init`, never written afterwards and
    // freed in `deinit`.

    /// One property, compiled.
    public struct Member: Sendable {
        /// The property's number, unique in the store and never reused.
        public var number: UInt32
        /// How it is stored.
        public var storage: FieldStorage
        /// Whether it, or its elements, may be null.
        public var isOptional: Bool
        /// For links and embedded objects the position of the class in the schema, for inverse links
        /// that of the class they come from; −1 otherwise.
        public var classIndex: Int
        /// For inverse links the position of the property they are the inverse of; −1 otherwise.
        public var originProperty: Int
        /// Whether the store keeps an index of it.
        public var isIndexed: Bool

        /// Makes a compiled property.
        package init(
            number: UInt32, storage: FieldStorage, isOptional: Bool, classIndex: Int,
            originProperty: Int, isIndexed: Bool
        ) {
            self.number = number
            self.storage = storage
            self.isOptional = isOptional
            self.classIndex = classIndex
            self.originProperty = originProperty
            self.isIndexed = isIndexed
        }
    }

    /// The class's position in ``RowSchema/classes``.
    package let index: Int
    /// The class's number, unique in the store and never reused.
    package let number: UInt32
    /// The class as declared.
    package let definition: ObjectClass
    /// Its properties, compiled, in the same order.
    public let members: [Member]
    /// The position of each property by name.
    package let memberIndex: [String: Int]
    /// The position of the primary key property; nil for a class without one.
    package let primaryKeyIndex: Int?
    /// Every layout that rows may have, oldest first.
    package let layouts: [RowLayout]
    /// The positions of the properties whose values hold links, directly or in embedded objects.
    package let linkingMembers: [Int]
    /// The positions of the indexed properties, without the primary key.
    package let indexedMembers: [Int]

    /// The number of the layout that new rows get.
    @usableFromInline let currentNumber: UInt32
    @usableFromInline let currentTable: UnsafePointer<FieldLocation>
    private let tables: [UInt32: UnsafePointer<FieldLocation>]
    private let fillRows: [UnsafeRawPointer]

    /// The layout that new rows get.
    package var layout: RowLayout { layouts[layouts.count - 1] }

    /// Compiles a class.
    ///
    /// - Parameters:
    ///   - members: One per property of `definition`, in its order.
    ///   - layouts: Oldest first; the last one has a slot for every stored property. Not empty.
    ///   - linkingMembers: Positions of properties that hold links, also within embedded objects.
    package init(
        index: Int, number: UInt32, definition: ObjectClass, members: [Member],
        layouts: [RowLayout], linkingMembers: [Int]
    ) {
        precondition(!layouts.isEmpty && members.count == definition.properties.count)
        self.index = index
        self.number = number
        self.definition = definition
        self.members = members
        self.layouts = layouts
        self.linkingMembers = linkingMembers
        var memberIndex: [String: Int] = [:]
        for (position, property) in definition.properties.enumerated() {
            memberIndex[property.name] = position
        }
        self.memberIndex = memberIndex
        primaryKeyIndex = definition.primaryKey.flatMap { memberIndex[$0] }
        let primaryKeyIndex = primaryKeyIndex
        indexedMembers = members.indices.filter { members[$0].isIndexed && $0 != primaryKeyIndex }

        let fillRows = layouts.map { layout in
            let copy = UnsafeMutableRawPointer.allocate(
                byteCount: max(layout.fillRow.count, 1), alignment: 8)
            layout.fillRow.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count) }
            return UnsafeRawPointer(copy)
        }
        self.fillRows = fillRows
        var tables: [UInt32: UnsafePointer<FieldLocation>] = [:]
        for position in layouts.indices {
            tables[layouts[position].number] = Self.makeTable(
                for: members, layouts: layouts, from: position, fillRows: fillRows)
        }
        self.tables = tables
        currentNumber = layouts[layouts.count - 1].number
        currentTable = Self.makeTable(
            for: members, layouts: layouts, from: layouts.count - 1, fillRows: fillRows)
    }

    deinit {
        for table in tables.values { table.deallocate() }
        currentTable.deallocate()
        for row in fillRows { row.deallocate() }
    }

    /// Finds each member in the layout at `position`, or in the fill row of the first later layout
    /// that has it.
    private static func makeTable(
        for members: [Member], layouts: [RowLayout], from position: Int,
        fillRows: [UnsafeRawPointer]
    ) -> UnsafePointer<FieldLocation> {
        let table = UnsafeMutablePointer<FieldLocation>.allocate(capacity: max(members.count, 1))
        for (memberPosition, member) in members.enumerated() {
            var location = FieldLocation(slot: -1, nullByte: 0, nullMask: 0, fill: nil)
            for age in position..<layouts.count {
                let slots = layouts[age].slots
                guard let bit = slots.firstIndex(where: { $0.propertyNumber == member.number })
                else { continue }
                location = FieldLocation(
                    slot: Int32(slots[bit].offset),
                    nullByte: Int32(RowLayout.headerByteCount + bit / 8),
                    nullMask: 1 << UInt8(bit % 8),
                    fill: age == position ? nil : fillRows[age])
                break
            }
            (table + memberPosition).initialize(to: location)
        }
        return UnsafePointer(table)
    }

    /// Where the properties lie in rows of a layout; the current layout's table for an unknown number,
    /// which only a damaged row has.
    @usableFromInline func olderTable(_ number: UInt32) -> UnsafePointer<FieldLocation> {
        tables[number] ?? currentTable
    }

    /// Whether rows of this layout number can be read.
    package func knowsLayout(_ number: UInt32) -> Bool { tables[number] != nil }

    /// The value of the property at `member` in `row`. Cost: a few nanoseconds.
    ///
    /// - Precondition: `member` is a position in ``members`` and not an inverse link.
    @inlinable public func field(_ member: Int, in row: RowView) -> Field {
        let number = row.layoutNumber
        let table = number == currentNumber ? currentTable : olderTable(number)
        let location = table[member]
        return Field(base: location.fill ?? row.base, location: location)
    }

    /// The properties with a random default that a row lacks because it is older than they are.
    package func generatedMembers(missingIn row: RowView) -> MemberSet {
        var missing = MemberSet()
        for (member, property) in definition.properties.enumerated()
        where property.defaultValue == .uuid || property.defaultValue == .objectID {
            let table = row.layoutNumber == currentNumber ? currentTable : olderTable(row.layoutNumber)
            if table[member].fill != nil { missing.insert(member) }
        }
        return missing
    }

    /// Where the property at `member` lies in rows of the current layout.
    func currentLocation(_ member: Int) -> FieldLocation { currentTable[member] }

    /// The collection in the list or set property at `member` of `row`.
    @inlinable public func collection(_ member: Int, in row: RowView) -> CollectionView {
        CollectionView(field(member, in: row).heap, element: members[member].storage.element)
    }

    /// The embedded row in the single embedded property at `member` of `row`; nil when it is null.
    @inlinable public func embedded(_ member: Int, in row: RowView) -> RowView? {
        let field = field(member, in: row)
        return field.isNull ? nil : RowView(field.heap)
    }
}
