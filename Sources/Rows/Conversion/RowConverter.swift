import Bytes
import ObjectModel

/// Converts rows, and reports the values that are lost. Reusable and not thread-safe.
package final class RowConverter {
    /// The conversions of the classes that go on, by their positions in the old schema; nil for a class
    /// that goes.
    private let conversions: [RowConversion?]
    /// Whether rows of a class, or embedded ones in them, have something to look at.
    private let hasChecks: [Bool]
    /// The time that defaults take.
    private let builder = RowBuilder()
    private let collection = ScalarCollectionBuilder()

    /// Where values go that are too large for a row; nil keeps them in it.
    package var overflow: (any OverflowSink)? {
        get { builder.overflow }
        set { builder.overflow = newValue }
    }
    /// What is too large for a row.
    package var limits: OverflowLimits {
        get { builder.limits }
        set { builder.limits = newValue }
    }

    /// Makes a converter.
    ///
    /// - `now`: The time of the change, for defaults.
    package init(_ conversions: [RowConversion?], now: Timestamp) {
        self.conversions = conversions
        builder.now = now
        let marks = conversions.map { !($0?.checks.isEmpty ?? true) }
        hasChecks = RowConverter.spread(marks) { conversions[$0]?.source.members ?? [] }
    }

    /// Marks the classes that embed marked ones, however deep.
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

    /// Whether there is anything to look at in rows of a class, by its position in the old schema.
    package func mayLose(_ classIndex: Int) -> Bool { hasChecks[classIndex] }

    // MARK: Losses

    /// Calls `body` with the number of each step that loses something of a row, perhaps several times.
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

    /// Appends the row of the new class that a row becomes; its version stays.
    ///
    /// - `key`: The object's key, which is the number of an object that gets one.
    /// - `source`: Reads out-of-line values.
    package func append(
        _ classIndex: Int, _ row: RowView, key: UInt64, _ source: any OverflowSource,
        to buffer: ByteBuffer
    ) {
        guard let conversion = conversions[classIndex] else { return }
        let target = conversion.target
        let referencesBefore = builder.referenceCount
        let start = builder.beginRow(target, version: row.version, in: buffer)
        for (member, origin) in conversion.members.enumerated() {
            let position = FieldPosition(member: member, target: target, rowStart: start)
            switch origin {
            case .kept(let old):
                let field = conversion.source.field(old, in: row)
                let compiled = conversion.source.members[old]
                if compiled.isEmbedded, isRewritten(compiled.classIndex) {
                    append(
                        rows: StoredField(field, compiled.storage, source), compiled.classIndex,
                        at: position, source, buffer)
                } else {
                    builder.copy(field, to: member, target, rowStart: start, buffer)
                }
            case .converted(let old, let values):
                let field = conversion.source.field(old, in: row)
                if values.isCopy {
                    builder.copy(field, to: member, target, rowStart: start, buffer)
                } else {
                    append(
                        StoredField(field, values.from, source), values,
                        conversion.source.members[old].classIndex, at: position, source, buffer)
                }
            case .filled:
                target.layout.fillRow.withUnsafeBytes { fill in
                    guard let fillRow = RowView(fill) else { return }
                    builder.copy(
                        target.field(member, in: fillRow), to: member, target, rowStart: start,
                        buffer)
                }
            case .generated:
                builder.appendDefault(member, target, rowStart: start, to: buffer)
            case .numbered:
                builder.store(
                    .int(Int64(clamping: key)), at: member, target, rowStart: start, to: buffer)
            case .nothing: break
            }
        }
        builder.finishRow(start, referencesBefore, in: buffer)
    }

    /// The position of a value in the new row.
    private struct FieldPosition {
        var member: Int
        var target: RowClass
        var rowStart: Int
        var storage: FieldStorage { target.members[member].storage }
    }

    /// Whether rows of a class, as embedded ones, are not read by the class that takes its place.
    private func isRewritten(_ classIndex: Int) -> Bool {
        guard let conversion = conversions[classIndex] else { return false }
        let number = conversion.source.layout.number
        return !conversion.target.layouts.contains { $0.number == number }
    }

    private func close(_ position: FieldPosition, from offset: Int, _ buffer: ByteBuffer) {
        builder.closeHeap(
            position.member, position.target, from: offset, rowStart: position.rowStart, over: nil,
            in: buffer)
    }

    private func append(
        _ stored: StoredField, _ values: ValueConversion, _ classIndex: Int,
        at position: FieldPosition,
        _ source: any OverflowSource, _ buffer: ByteBuffer
    ) {
        switch values.from.element {
        case _ where values.isApart: appendNothing(at: position, buffer)
        case _ where values.to.element == .mixed:
            append(mixed: values.mixed(stored).values, stored, at: position, buffer)
        case .link: append(links: stored.links, at: position, buffer)
        case .embedded: append(rows: stored, classIndex, at: position, source, buffer)
        default:
            let converted = values.convertScalars(stored, now: builder.now).values
            if position.storage.shape == .single {
                let offset = buffer.count
                switch converted.first ?? .null {
                case .string(let text): buffer.append(text)
                case .data(let bytes): buffer.append(bytes)
                default:
                    return builder.store(
                        converted.first ?? .null, at: position.member, position.target,
                        rowStart: position.rowStart, to: buffer)
                }
                return close(position, from: offset, buffer)
            }
            let offset = buffer.count
            if position.storage.shape == .map {
                if converted.isEmpty { return appendNothing(at: position, buffer) }
                buffer.append(stored.keyBytes)
            }
            collection.reset(position.storage.element)
            for value in converted { collection.append(value: value) }
            collection.write(to: buffer, isSet: position.storage.shape == .set)
            close(position, from: offset, buffer)
        }
    }

    /// Appends what a property holds that nothing converts to.
    private func appendNothing(at position: FieldPosition, _ buffer: ByteBuffer) {
        let property = position.target.definition.properties[position.member]
        if property.type.isCollection || property.isOptional {
            let nothing: Value = property.type.isCollection ? .list([]) : .null
            return builder.store(
                nothing, at: position.member, position.target, rowStart: position.rowStart,
                to: buffer)
        }
        builder.appendDefault(
            position.member, position.target, rowStart: position.rowStart, to: buffer)
    }

    private func append(
        mixed values: [[UInt8]?], _ stored: StoredField, at position: FieldPosition,
        _ buffer: ByteBuffer
    ) {
        let offset = buffer.count
        if position.storage.shape == .single {
            guard let first = values.first ?? nil else {
                return builder.setNull(
                    position.target, position.member, rowStart: position.rowStart, in: buffer)
            }
            buffer.append(first)
            return close(position, from: offset, buffer)
        }
        if position.storage.shape == .map {
            if values.isEmpty { return appendNothing(at: position, buffer) }
            buffer.append(stored.keyBytes)
        }
        collection.append(mixed: values)
        collection.write(to: buffer, isSet: position.storage.shape == .set)
        close(position, from: offset, buffer)
    }

    private func append(links keys: [UInt64], at position: FieldPosition, _ buffer: ByteBuffer) {
        if position.storage.shape == .single {
            guard let first = keys.first else {
                return builder.setNull(
                    position.target, position.member, rowStart: position.rowStart, in: buffer)
            }
            let slot = builder.slotOffset(position.target, position.member, position.rowStart)
            return buffer.store(first, at: slot)
        }
        let offset = buffer.count
        builder.appendLinks(keys[...], isSet: position.storage.shape == .set, to: buffer)
        close(position, from: offset, buffer)
    }

    private func append(
        rows stored: StoredField, _ classIndex: Int, at position: FieldPosition,
        _ source: any OverflowSource,
        _ buffer: ByteBuffer
    ) {
        let rows = stored.rows
        let offset = buffer.count
        switch position.storage.shape {
        case .single:
            guard let first = rows.first else {
                return builder.setNull(
                    position.target, position.member, rowStart: position.rowStart, in: buffer)
            }
            append(classIndex, first, key: 0, source, to: buffer)
            let slot = builder.slotOffset(position.target, position.member, position.rowStart)
            return builder.closeHeap(
                slot: slot, from: offset, rowStart: position.rowStart, in: buffer)
        case .map:
            builder.append(
                MapView(stored.bytes, element: .embedded), to: buffer, goes: { _ in false }
            ) {
                append(classIndex, $0, key: 0, source, to: buffer)
            }
        default:
            builder.appendVariable(count: rows.count, to: buffer) { index in
                append(classIndex, rows[index], key: 0, source, to: buffer)
            }
        }
        close(position, from: offset, buffer)
    }
}
