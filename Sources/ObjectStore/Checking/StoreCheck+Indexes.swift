import Bytes
import Rows

extension StoreCheck {
    /// An index of a property, or the entries of a unique group.
    struct Index {
        /// Of what it is.
        enum Source {
            case member(Int)
            case group(UniqueKey)
        }

        let rowClass: RowClass
        let source: Source

        /// Whether it is a group's.
        var isGroup: Bool { if case .group = source { true } else { false } }

        /// Whether no two objects may have the same value.
        var isUnique: Bool {
            switch source {
            case .member(let member): rowClass.members[member].isUnique
            case .group: true
            }
        }

        /// The property or properties.
        var name: String {
            let properties = rowClass.definition.properties
            return switch source {
            case .member(let member): properties[member].name
            case .group(let unique):
                unique.members.map { properties[$0].name }.joined(separator: ", ")
            }
        }

        /// The key of the entry that a row has; empty when it has none.
        func entry(
            _ key: UInt64, _ row: RowView, _ overflow: any OverflowSource, in buffer: ByteBuffer
        ) -> UnsafeRawBufferPointer {
            buffer.removeAll()
            switch source {
            case .member(let member):
                IndexEntry.append(rowClass, member, key, row, overflow, to: buffer)
            case .group(let unique):
                if !IndexEntry.append(rowClass, group: unique, key, row, overflow, to: buffer) {
                    buffer.removeAll()
                }
            }
            return buffer.bytes
        }

        /// A hash of the list or map that a row has where it is unique; nil for anything else, of which
        /// the entry says all.
        func elementsHash(_ row: RowView, _ overflow: any OverflowSource, in buffer: ByteBuffer)
            -> [UInt64]?
        {
            guard case .member(let member) = source,
                let unique = rowClass.uniqueKeys.first(where: {
                    !$0.isGroup && $0.members == [member]
                }), IndexEntry.holdsElements(rowClass, unique, row, overflow)
            else { return nil }
            buffer.removeAll()
            _ = IndexEntry.appendValue(rowClass, unique, row, overflow, isWhole: true, to: buffer)
            let hash = SipHash128.hash(buffer.bytes)
            return [hash.high, hash.low]
        }
    }

    /// The indexes of a class.
    func indexes(of rowClass: RowClass) -> [Index] {
        rowClass.indexedMembers.map { Index(rowClass: rowClass, source: .member($0)) }
            + rowClass.uniqueKeys.filter(\.isGroup).map {
                Index(rowClass: rowClass, source: .group($0))
            }
    }

    /// The index whose entries have a number; nil when there is none.
    func index(_ number: UInt32) -> Index? {
        if let location = rows.memberByNumber[number],
            rows.classes[location.classIndex].indexedMembers.contains(location.member)
        {
            return Index(
                rowClass: rows.classes[location.classIndex], source: .member(location.member))
        }
        guard let location = rows.uniqueGroupByNumber[number] else { return nil }
        let rowClass = rows.classes[location.classIndex]
        return Index(rowClass: rowClass, source: .group(rowClass.uniqueKeys[location.position]))
    }
}
