import HoldfastBytes
import HoldfastObjectModel

/// Converts rows, and reports lost values. Reusable and not thread-safe.
package final class RowConverter {
    /// The conversions of classes, by their positions in the old schema; nil for a removed class.
    private let conversions: [RowConversion?]
    /// Whether rows of a class, or embedded rows in them, have to be checked for losses.
    private let hasChecks: [Bool]
    /// The builder of the rows. It also stores values that are too large for a row.
    package let builder = RowBuilder()
    private let collection = ScalarCollectionBuilder()

    /// Makes a converter.
    ///
    /// - `now`: The time of the change, for defaults.
    package init(_ conversions: [RowConversion?], now: Timestamp) {
        self.conversions = conversions
        builder.now = now
        let marks = conversions.map { !($0?.checks.isEmpty ?? true) }
        hasChecks = RowConverter.spread(marks) { conversions[$0]?.source.members ?? [] }
    }

    /// Marks the classes that embed marked classes, at any depth.
    ///
    /// - `members`: The properties of the class at a position.
    package static func spread(_ marks: [Bool], _ members: (Int) -> [RowClass.Member]) -> [Bool] {
        var marks = marks
        var changed = true
        while changed {
            changed = false
            for position in marks.indices where !marks[position] {
                let embeds = members(position).contains { $0.isEmbedded && marks[$0.classIndex] }
                if embeds {
                    marks[position] = true
                    changed = true
                }
            }
        }
        return marks
    }

    /// Whether rows of a class have to be checked for losses, by its position in the old schema.
    package func mayLose(_ classIndex: Int) -> Bool { hasChecks[classIndex] }

    // MARK: Losses

    /// Calls `body` with the number of each step that loses data of a row. It may report a step several times.
    ///
    /// - `source`: Reads out-of-line values.
    package func forEachLoss(
        _ classIndex: Int, _ row: RowView, _ source: any OverflowSource,
        _ body: (_ step: Int) -> Void
    ) {
        guard hasChecks[classIndex], let conversion = conversions[classIndex] else { return }
        let old = conversion.source
        for check in conversion.checks {
            let storage = old.members[check.member].storage
            let stored = StoredField(old.field(check.member, in: row), storage, source)
            switch check.loss {
            case .anything: if stored.holdsData { body(check.step) }
            case .unconvertible(let values): if values.loses(stored) { body(check.step) }
            }
        }
        for (member, compiled) in old.members.enumerated()
        where compiled.isEmbedded && hasChecks[compiled.classIndex] {
            let stored = StoredField(old.field(member, in: row), compiled.storage, source)
            for inner in stored.rows { forEachLoss(compiled.classIndex, inner, source, body) }
        }
    }

    // MARK: Rows

    /// Appends the row of the new class that a row is converted to. Its version stays.
    ///
    /// - `key`: The object's key. It is the number for an object that gets a numbered primary key.
    /// - `source`: Reads out-of-line values.
    package func append(
        _ classIndex: Int, _ row: RowView, key: UInt64, _ source: any OverflowSource,
        to buffer: ByteBuffer
    ) {
        guard let conversion = conversions[classIndex] else { return }
        let target = conversion.target
        let referencesBefore = builder.referenceCount
        let written = OpenRow(target, version: row.version, in: buffer)
        for (member, origin) in conversion.members.enumerated() {
            switch origin {
            case .kept(let old):
                let field = conversion.source.field(old, in: row)
                let compiled = conversion.source.members[old]
                if compiled.isEmbedded, isRewritten(compiled.classIndex) {
                    append(
                        rows: StoredField(field, compiled.storage, source), compiled.classIndex,
                        at: member, written, source)
                } else {
                    builder.copy(field, to: member, written)
                }
            case .converted(let old, let values):
                let field = conversion.source.field(old, in: row)
                if values.isCopy {
                    builder.copy(field, to: member, written)
                } else {
                    append(
                        StoredField(field, values.from, source), values,
                        conversion.source.members[old].classIndex, at: member, written, source)
                }
            case .filled:
                target.layout.fillRow.withUnsafeBytes { fill in
                    guard let fillRow = RowView(fill) else { return }
                    builder.copy(target.field(member, in: fillRow), to: member, written)
                }
            case .generated: builder.appendDefault(member, written)
            case .numbered: builder.store(.int(Int64(clamping: key)), at: member, written)
            case .nothing: break
            }
        }
        written.finish(holdsOverflow: builder.referenceCount != referencesBefore)
    }

    /// Whether embedded rows of a class cannot be read by the class that replaces it.
    private func isRewritten(_ classIndex: Int) -> Bool {
        guard let conversion = conversions[classIndex] else { return false }
        let number = conversion.source.layout.number
        return !conversion.target.layouts.contains { $0.number == number }
    }

    private func append(
        _ stored: StoredField, _ values: ValueConversion, _ classIndex: Int, at member: Int,
        _ row: OpenRow, _ source: any OverflowSource
    ) {
        let shape = row.rowClass.members[member].storage.shape
        switch values.from.element {
        case _ where values.isApart: appendNothing(at: member, row)
        case _ where values.to.element == .mixed:
            append(mixed: values.mixed(stored).values, stored, at: member, row)
        case .link: append(links: stored.links.compactMap { $0 }, at: member, row)
        case .embedded: append(rows: stored, classIndex, at: member, row, source)
        default:
            let converted = values.convertScalars(stored, now: builder.now).values
            let offset = row.buffer.count
            if shape == .single {
                switch converted.first ?? .null {
                case .string(let text): row.buffer.append(text)
                case .data(let bytes): row.buffer.append(bytes)
                default: return builder.store(converted.first ?? .null, at: member, row)
                }
            } else {
                if shape == .map {
                    if converted.isEmpty { return appendNothing(at: member, row) }
                    row.buffer.append(stored.keyBytes)
                }
                collection.reset(row.rowClass.members[member].storage.element)
                for value in converted { collection.append(value: value) }
                collection.write(to: row.buffer, isSet: shape == .set)
            }
            builder.closeHeap(member, row, from: offset, over: nil)
        }
    }

    /// Appends the value of a property that no old value converts to.
    private func appendNothing(at member: Int, _ row: OpenRow) {
        let property = row.rowClass.definition.properties[member]
        if property.isOptional, !property.type.isCollection { return row.setNull(member) }
        builder.appendDefault(member, row)
    }

    private func append(
        mixed values: [[UInt8]?], _ stored: StoredField, at member: Int, _ row: OpenRow
    ) {
        let shape = row.rowClass.members[member].storage.shape
        let offset = row.buffer.count
        if shape == .single {
            guard let first = values.first ?? nil else { return row.setNull(member) }
            row.buffer.append(first)
        } else {
            if shape == .map {
                if values.isEmpty { return appendNothing(at: member, row) }
                row.buffer.append(stored.keyBytes)
            }
            collection.append(mixed: values)
            collection.write(to: row.buffer, isSet: shape == .set)
        }
        builder.closeHeap(member, row, from: offset, over: nil)
    }

    private func append(links keys: [UInt64], at member: Int, _ row: OpenRow) {
        let shape = row.rowClass.members[member].storage.shape
        if shape == .single {
            guard let first = keys.first else { return row.setNull(member) }
            return row.store(first, at: member)
        }
        let offset = row.buffer.count
        builder.appendLinks(keys[...], isSet: shape == .set, to: row.buffer)
        builder.closeHeap(member, row, from: offset, over: nil)
    }

    private func append(
        rows stored: StoredField, _ classIndex: Int, at member: Int, _ row: OpenRow,
        _ source: any OverflowSource
    ) {
        let storage = row.rowClass.members[member].storage
        let buffer = row.buffer
        let offset = buffer.count
        switch storage.shape {
        case .single:
            guard let first = stored.rows.first else { return row.setNull(member) }
            append(classIndex, first, key: 0, source, to: buffer)
        case .map:
            let leaf = LeafView(stored.bytes, storage)
            let values = leaf.values
            let kept = (0..<leaf.count).filter {
                values.isNull($0) || RowView(values.bytes($0)) != nil
            }
            leaf.append(kept, to: buffer, isNull: { values.isNull($0) }) { index in
                guard let inner = RowView(values.bytes(index)) else { return }
                append(classIndex, inner, key: 0, source, to: buffer)
            }
        default:
            let rows = stored.rows
            builder.appendRows(count: rows.count, to: buffer) { index in
                append(classIndex, rows[index], key: 0, source, to: buffer)
            }
        }
        builder.closeHeap(member, row, from: offset, over: nil)
    }
}

/// The conversion of rows of a class to the class that replaces it in another schema. Immutable; any thread may use it.
package struct RowConversion: Sendable {
    /// The source of a property's value in the new class.
    package enum Source: Sendable {
        /// A property of the old class with the same storage.
        case kept(Int)
        /// A property of the old class, converted.
        case converted(Int, ValueConversion)
        /// The fill row of the new class: the property is new.
        case filled
        /// A fresh identifier: the property is new and has a random default.
        case generated
        /// The number of the object: the property is a new primary key that the store numbers.
        case numbered
        /// No source: the property is an inverse link.
        case nothing
    }

    /// A check of every row for a possible loss.
    package struct Check: Sendable {
        /// A loss to look for.
        package enum Loss: Sendable {
            /// Any value: the property is removed.
            case anything
            /// Values that cannot be converted.
            case unconvertible(ValueConversion)
        }

        /// The property, by position in the old class.
        package var member: Int
        /// The loss to look for.
        package var loss: Loss
        /// The position of the step of the change that causes the loss.
        package var step: Int

        /// Makes a check.
        package init(member: Int, loss: Loss, step: Int) {
            self.member = member
            self.loss = loss
            self.step = step
        }
    }

    /// The class of the rows to read.
    package var source: RowClass
    /// The class of the rows to write.
    package var target: RowClass
    /// The source of each property of `target`.
    package var members: [Source]
    /// The checks for lost values.
    package var checks: [Check]

    package init(source: RowClass, target: RowClass, members: [Source], checks: [Check]) {
        self.source = source
        self.target = target
        self.members = members
        self.checks = checks
    }
}
