import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

extension ObjectWriter {
    /// Writes a value of fixed width.
    package func write(fixed address: UnsafeRawPointer, _ element: ElementStorage) {
        switch element {
        case .bool: json.bool(address.storedBool)
        case .int: write(int: address.storedInt)
        case .double: json.double(address.storedDouble)
        case .float: json.float(address.storedFloat)
        case .decimal: json.quoted { address.storedDecimal.writeText { buffer.append($0) } }
        case .date: json.quoted { address.storedDate.writeRFC3339 { buffer.append($0) } }
        case .objectID:
            json.quoted {
                Hexadecimal.encode(UnsafeRawBufferPointer(start: address, count: 12), into: buffer)
            }
        case .uuid: json.quoted { address.storedUUID.writeText { buffer.append($0) } }
        case .string, .data, .link, .embedded, .mixed: json.null()
        }
    }

    package func write(int value: Int64) {
        if quotesLargeInts, value.magnitude > 1 << 53 {
            json.quoted { json.int(value) }
        } else {
            json.int(value)
        }
    }

    /// Writes a collection of plain values.
    package func write(_ collection: StoredCollection) {
        buffer.append(UInt8(ascii: "["))
        collection.forEach(within: read?.budget) { part, offset, index in
            if index > 0 { json.comma() }
            writeElement(offset, of: part)
            return hasRoom
        }
        buffer.append(UInt8(ascii: "]"))
    }

    /// Writes one element of a collection of plain values.
    package func writeElement(_ index: Int, of collection: CollectionView) {
        if collection.isNull(index) { return json.null() }
        write(stored: collection.bytes(index), collection.element)
    }

    /// Writes an object's version as a string.
    package func writeVersion(_ number: UInt64) {
        StoreVersion(epoch: epoch, number: number).withText(isQuoted: true) {
            buffer.append(UnsafeRawBufferPointer($0))
        }
    }

    /// Writes the name of an object: its primary key, or its object key if the class has no primary key.
    package func writeID(_ row: RowView, key: UInt64, _ rowClass: RowClass) {
        guard let member = rowClass.primaryKeyIndex else {
            return write(int: Int64(truncatingIfNeeded: key))
        }
        let field = rowClass.field(member, in: row)
        let element = rowClass.members[member].storage.element
        if field.isNull {
            json.null()
        } else if element == .string {
            json.string(field.heap)
        } else {
            write(fixed: field.slot, element)
        }
    }
}
