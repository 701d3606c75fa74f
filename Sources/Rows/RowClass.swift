import HoldfastObjectModel

/// A class compiled for rows: numbers instead of names, and the position of each property in rows of every layout. Immutable;
/// safe to use from any thread.
public final class RowClass: @unchecked Sendable {
    // Unchecked because of the pointers below: they are made in `init`, never written afterwards and freed in `deinit`.

    /// One property, compiled.
    public struct Member: Sendable {
        /// The property's number, unique in the store and never reused.
        public var number: UInt32
        /// The property's storage.
        public var storage: FieldStorage
        /// Whether the value, or elements of it, may be null.
        public var isOptional: Bool
        /// The position in the schema of the class of links and embedded objects, or of the class that inverse links come from;
        /// −1 for other properties.
        public var classIndex: Int
        /// The position of the property that an inverse link is the inverse of; −1 for other properties.
        public var originProperty: Int
        /// Whether an inverse link shows embedded objects.
        package var showsEmbedded = false
        /// Whether the store keeps an index of the property.
        public var isIndexed: Bool
        /// Whether all objects must have different values.
        package var isUnique = false
        /// Whether it must be set when an object is created or replaced.
        package var isRequired = false
        /// Whether a new object that does not state it gets the id of its user; a replaced one keeps its value then.
        package var takesUser = false
        /// The effect on the object that holds a link when the link's target is deleted.
        package var onDelete = OnDelete.nullify
        /// Whether only the values of an enum are allowed, see ``RowClass/cases``.
        public var hasCases = false
        /// The minimum and maximum of an int that is declared narrower than a row's ints.
        public var narrowRange: ClosedRange<Int64>?

        /// Makes a compiled property.
        package init(
            number: UInt32, storage: FieldStorage, isOptional: Bool, classIndex: Int,
            originProperty: Int, isIndexed: Bool, narrowRange: ClosedRange<Int64>? = nil
        ) {
            self.number = number
            self.storage = storage
            self.isOptional = isOptional
            self.classIndex = classIndex
            self.originProperty = originProperty
            self.isIndexed = isIndexed
            self.narrowRange = narrowRange
        }

        /// Whether the property holds embedded objects.
        package var isEmbedded: Bool {
            storage.element == .embedded && storage.shape != .none && classIndex >= 0
        }

        /// Whether an int is within the declared width.
        @inlinable public func holds(_ value: Int64) -> Bool {
            guard let narrowRange else { return true }
            return narrowRange.contains(value)
        }

        /// Whether a value is within the declared width. Always true if it is not an int.
        @inlinable public func holds(_ value: InlineValue) -> Bool {
            value.element != .int || holds(Int64(bitPattern: value.low))
        }
    }

    /// The positions of the properties in one layout; empty for an unused layout number.
    private struct LayoutTable {
        var fields: UnsafePointer<FieldLocation>?
        var fixedByteCount: Int
    }

    /// The class's position in ``RowSchema/classes``.
    package let index: Int
    /// The class's number, unique in the store and never reused.
    package let number: UInt32
    /// The number under which its rows are stored, see `StoreKey`. It is the class's number until the rows are rewritten.
    package let rowSpace: UInt32
    /// The number under which its primary keys are stored. It is the class's number until the keys are entered again.
    package let keySpace: UInt32
    /// The class as declared.
    package let definition: ObjectClass
    /// The positions of the properties that cannot be found by name, see ``UnknownNames``.
    package let unknown: MemberSet
    /// The compiled properties, in the order of declaration.
    public let members: [Member]
    /// The properties' names, for looking up a property by the bytes of its name.
    package let names: NameTable
    /// The position of each property that is mapped to another name, by the mapped name.
    private let mappedIndex: [ExactText: Int]
    /// The position of the primary key property; nil for a class without one.
    package let primaryKeyIndex: Int?
    /// Whether its objects are only created and wait in its outbox.
    package let isAsymmetric: Bool
    /// Whether the store generates a number as primary key for objects without one.
    package let numbersKeys: Bool
    /// Every layout that rows may have, oldest first.
    package let layouts: [RowLayout]
    /// The values of the properties that are enums, by position.
    package let cases: [Int: EnumCases]
    /// The positions of the properties with links, directly or in embedded objects.
    package let linkingMembers: [Int]
    /// The positions of the lists.
    package let listMembers: [Int]
    /// The positions of the indexed properties, without the primary key.
    package let indexedMembers: [Int]
    /// The unique keys, without the primary key: unique properties, then unique groups.
    package let uniqueKeys: [UniqueKey]
    /// The indexes that may have several entries for a value, in the order of the properties.
    package let searchIndexes: [SearchIndex]

    /// The positions of the type and the coordinates, if the class describes GeoJSON points; otherwise −1.
    let pointType: Int
    let pointCoordinates: Int

    /// The number of the layout that new rows get.
    @usableFromInline let currentNumber: UInt32
    @usableFromInline let currentTable: UnsafePointer<FieldLocation>
    private let currentByteCount: Int
    /// The tables of all layouts, by number minus the number of the oldest layout.
    private let tables: UnsafePointer<LayoutTable>
    private let tableCount: UInt32
    private let firstNumber: UInt32
    private let fillRows: [UnsafeRawPointer]

    /// The complete class if this one lacks names of it; otherwise nil.
    private let base: RowClass?
    package var whole: RowClass { base ?? self }

    /// The layout that new rows get.
    package var layout: RowLayout { layouts[layouts.count - 1] }

    /// Compiles a class.
    ///
    /// - `members`: One for each property of `definition`, in its order.
    /// - `layouts`: Not empty, oldest first. Their numbers rise and are less than ``layoutSpanMax`` apart. The last one has a
    ///   slot for every stored property.
    /// - `linkingMembers`: The positions of properties that hold links, also within embedded objects.
    /// - `rowSpace`, `keySpace`: Nil for the class's own number.
    /// - `uniqueGroups`: One for each unique group of `definition`, in its order.
    /// - `searchIndexes`: One for each indexed property of `definition`, in its order.
    /// - `part`: The complete class, and the properties whose names this one lacks; nil if this one is complete.
    package init(
        index: Int, number: UInt32, definition: ObjectClass, members: [Member],
        layouts: [RowLayout], linkingMembers: [Int], rowSpace: UInt32? = nil,
        keySpace: UInt32? = nil, uniqueGroups: [UniqueKey] = [],
        searchIndexes: [SearchIndex] = [], part: (base: RowClass, unknown: MemberSet)? = nil
    ) {
        precondition(RowClass.areInOrder(layouts) && members.count == definition.properties.count)
        self.index = index
        self.number = number
        self.rowSpace = rowSpace ?? number
        self.keySpace = keySpace ?? number
        self.definition = definition
        base = part?.base
        let unknown = part?.unknown ?? MemberSet()
        self.unknown = unknown
        self.members = members
        self.layouts = layouts
        self.linkingMembers = linkingMembers
        self.searchIndexes = searchIndexes
        var cases: [Int: EnumCases] = [:]
        var mappedIndex: [ExactText: Int] = [:]
        for (position, property) in definition.properties.enumerated() {
            if let values = property.cases { cases[position] = EnumCases(values) }
            if unknown.contains(position) { continue }
            if let name = property.mapTo { mappedIndex[name] = position }
        }
        self.cases = cases
        self.mappedIndex = mappedIndex
        isAsymmetric = definition.kind == .asymmetric
        let names = NameTable(definition.properties.map(\.name)) { !unknown.contains($0) }
        self.names = names
        let pointMembers = definition.pointMembers
        pointType = pointMembers?.type ?? -1
        pointCoordinates = pointMembers?.coordinates ?? -1
        primaryKeyIndex = definition.primaryKey.flatMap { names.position(of: $0) }
        let primaryKeyIndex = primaryKeyIndex
        numbersKeys =
            primaryKeyIndex.map { definition.properties[$0].defaultValue == .next } ?? false
        listMembers = members.indices.filter { members[$0].storage.shape == .list }
        indexedMembers = members.indices.filter { members[$0].isIndexed && $0 != primaryKeyIndex }
        uniqueKeys =
            members.indices.filter { members[$0].isUnique && $0 != primaryKeyIndex }
            .map { UniqueKey(number: members[$0].number, members: [$0], isGroup: false) }
            + uniqueGroups

        let fillRows = layouts.map { layout in
            let copy = UnsafeMutableRawPointer.allocate(
                byteCount: max(layout.fillRow.count, 1), alignment: 8)
            layout.fillRow.withUnsafeBytes {
                copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count)
            }
            return UnsafeRawPointer(copy)
        }
        self.fillRows = fillRows
        let first = layouts[0].number
        let last = layouts[layouts.count - 1]
        let count = last.number - first + 1
        let tables = UnsafeMutablePointer<LayoutTable>.allocate(capacity: Int(count))
        tables.initialize(
            repeating: LayoutTable(fields: nil, fixedByteCount: .max), count: Int(count))
        let fields = layouts.indices.map {
            Self.makeTable(for: members, layouts: layouts, from: $0, fillRows: fillRows)
        }
        for (layout, fields) in zip(layouts, fields) {
            tables[Int(layout.number - first)] = LayoutTable(
                fields: fields, fixedByteCount: layout.fixedByteCount)
        }
        self.tables = UnsafePointer(tables)
        tableCount = count
        firstNumber = first
        currentNumber = last.number
        currentByteCount = last.fixedByteCount
        currentTable = fields[fields.count - 1]
    }

    /// The same class without the names of some properties.
    convenience init(_ whole: RowClass, without unknown: MemberSet) {
        self.init(
            index: whole.index, number: whole.number, definition: whole.definition,
            members: whole.members, layouts: whole.layouts, linkingMembers: whole.linkingMembers,
            rowSpace: whole.rowSpace, keySpace: whole.keySpace,
            uniqueGroups: whole.uniqueKeys.filter(\.isGroup), searchIndexes: whole.searchIndexes,
            part: (whole, unknown))
    }

    deinit {
        for position in 0..<Int(tableCount) { tables[position].fields?.deallocate() }
        tables.deallocate()
        for row in fillRows { row.deallocate() }
    }

    /// The bound of the distance between the numbers of a class's layouts.
    package static let layoutSpanMax: UInt32 = 1 << 20

    /// Whether there are layouts, their numbers rise, and the distance is below the bound.
    package static func areInOrder(_ layouts: [RowLayout]) -> Bool {
        guard let first = layouts.first, let last = layouts.last else { return false }
        return zip(layouts, layouts.dropFirst()).allSatisfy { $0.number < $1.number }
            && last.number - first.number < layoutSpanMax
    }

    /// Finds each member in the layout at `position`; otherwise in the fill row of the first later layout that has it.
    private static func makeTable(
        for members: [Member], layouts: [RowLayout], from position: Int,
        fillRows: [UnsafeRawPointer]
    ) -> UnsafePointer<FieldLocation> {
        let table = UnsafeMutablePointer<FieldLocation>.allocate(capacity: max(members.count, 1))
        var next = 0
        for (memberPosition, member) in members.enumerated() {
            var location = FieldLocation(slot: -1, nullByte: 0, nullMask: 0, fill: nil)
            for age in position..<layouts.count {
                guard let bit = layouts[age].slot(of: member.number, next: next) else { continue }
                next = bit + 1
                location = FieldLocation(
                    slot: Int32(layouts[age].slots[bit].offset),
                    nullByte: Int32(RowLayout.headerByteCount + bit / 8),
                    nullMask: 1 << UInt8(bit % 8), fill: age == position ? nil : fillRows[age])
                break
            }
            (table + memberPosition).initialize(to: location)
        }
        return UnsafePointer(table)
    }

    /// Returns the locations of the properties in rows of a layout. An unknown number, which only a damaged row has, gets the
    /// current layout's table.
    @usableFromInline func olderTable(_ number: UInt32) -> UnsafePointer<FieldLocation> {
        let position = number &- firstNumber
        guard position < tableCount else { return currentTable }
        return tables[Int(position)].fields ?? currentTable
    }

    /// Whether a row's layout is known and all its slots lie within the row. Reading a damaged row that passes never leaves its
    /// bounds.
    package func canRead(_ row: RowView) -> Bool {
        let number = row.layoutNumber
        if number == currentNumber { return row.byteCount >= currentByteCount }
        let position = number &- firstNumber
        return position < tableCount && row.byteCount >= tables[Int(position)].fixedByteCount
    }

    /// Returns the value of the property at `member` in `row`. Cost: a few nanoseconds.
    ///
    /// - Precondition: `member` is a position in ``members`` and not an inverse link.
    @inlinable public func field(_ member: Int, in row: RowView) -> Field {
        let number = row.layoutNumber
        let table = number == currentNumber ? currentTable : olderTable(number)
        let location = table[member]
        return Field(base: location.fill ?? row.base, location: location)
    }

    /// Whether a property is hidden in a row that is a copy for a principal with limited access.
    package func hides(_ member: Int, in row: RowView) -> Bool {
        guard row.hidesProperties, member >= 0, member < members.count else { return false }
        let bitmap = row.bytes.suffix((members.count + 7) / 8)
        return bitmap[bitmap.startIndex + member / 8] & 1 << UInt8(member % 8) != 0
    }

    /// The hidden properties of such a copy, or of a row made from one.
    package func hidden(in row: RowView) -> MemberSet {
        guard row.hidesProperties else { return MemberSet() }
        return MemberSet(members.indices.filter { hides($0, in: row) })
    }

    /// The names of the known properties, in the order of declaration.
    package var knownNames: [String] {
        definition.properties.indices.filter { !unknown.contains($0) }
            .map { definition.properties[$0].name }
    }

    /// Returns the position of a property by its name or its mapped name.
    package func member(named name: String) -> Int? {
        names.position(of: name) ?? mappedIndex[name]
    }

    /// The minimum and maximum of an integer primary key; nil if the key has another type or there is none.
    package var primaryKeyRange: ClosedRange<Int64>? {
        primaryKeyIndex.flatMap { definition.properties[$0].scalar?.integerRange }
    }

    /// Whether its objects are GeoJSON points.
    package var isPointClass: Bool { pointType >= 0 }

    /// Returns the location of the property at `member` in rows of the current layout.
    package func currentLocation(_ member: Int) -> FieldLocation { currentTable[member] }

    /// Returns the collection in the list or set property at `member` of `row`, or the values of a map, stored in the row or out
    /// of line.
    @inlinable public func collection(
        _ member: Int, in row: RowView, _ source: any OverflowSource
    ) -> StoredCollection {
        StoredCollection(field(member, in: row), members[member].storage, source)
    }

    /// Returns the collection at `member` of `row`; empty if it is out of line.
    @inlinable public func inlineLeaf(_ member: Int, in row: RowView) -> LeafView {
        LeafView(field(member, in: row).heap, members[member].storage)
    }

    /// Returns the embedded row in the single embedded property at `member` of `row`; nil if it is null.
    @inlinable public func embedded(_ member: Int, in row: RowView) -> RowView? {
        let field = field(member, in: row)
        return field.isNull ? nil : RowView(field.heap)
    }
}
