import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastThreads
import Synchronization

/// The entries of changes that channels with equal selections write. An entry that several filters find is written once in a
/// step, and copied for the other channels. On the feed's thread.
///
/// Benchmark row: `user-streams`.
final class SharedEntries {
    /// The properties that channels with equal entries have in common.
    struct Form: Hashable {
        private let schema: ObjectIdentifier
        private let classIndex: Int?
        @Exact private var shown: StreamDefinition.Target?
        @Exact private var fields: String?
        @Exact private var expand: String?
        @Exact private var keyPaths: String?
        private let tellsOld: Bool
        private let quotesLargeInts: Bool
        private let viewMark: String
        private let visibility: ObjectIdentifier?

        init(_ stream: CheckedStream) {
            let definition = stream.definition
            schema = stream.names.schema.identity
            classIndex = stream.observed.classIndex
            _shown = Exact(definition.shown)
            _fields = Exact(definition.fields)
            _expand = Exact(definition.expand)
            _keyPaths = Exact(definition.eventOptions.keyPaths)
            tellsOld = definition.eventOptions.tellsOld
            quotesLargeInts = definition.quotesLargeInts
            viewMark = stream.viewMark
            visibility = stream.observed.visibility.map { ObjectIdentifier($0) }
        }
    }

    private struct Key: Hashable {
        let identity: ObjectIdentity
        let kind: QueryEvent.Kind
    }

    private struct Entry {
        let range: Range<Int>
        let members: MemberSet
        let shown: MemberSet?
    }

    /// The number of channels that write such entries.
    var channelCount = 0
    private unowned let table: SharedEntryTable
    private let text = ByteBuffer()
    private var entries: [Key: Entry] = [:]
    /// The version that the present entries show.
    private var version: UInt64 = 0

    init(_ table: SharedEntryTable) { self.table = table }

    /// The text of a change at a version, if it was written; valid until the next text is added.
    func text(of event: QueryEvent, at version: UInt64) -> UnsafeRawBufferPointer? {
        guard version == self.version,
            let entry = entries[Key(identity: event.identity, kind: event.kind)],
            entry.members == event.members, entry.shown == event.shown
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: text.bytes[entry.range])
    }

    /// Keeps the text of a change at a version, if there is room.
    func add(_ bytes: UnsafeRawBufferPointer, of event: QueryEvent, at version: UInt64) {
        if version != self.version {
            clear()
            self.version = version
        }
        let key = Key(identity: event.identity, kind: event.kind)
        guard entries[key] == nil, table.take(bytes.count, for: self) else { return }
        let start = text.count
        text.append(bytes)
        entries[key] = Entry(range: start..<text.count, members: event.members, shown: event.shown)
    }

    /// Forgets all entries.
    fileprivate func clear() {
        if entries.isEmpty { return }
        table.giveBack(text.count)
        entries = [:]
        text.removeAll()
        text.trim()
    }
}

/// The shared entries of all forms, and their memory. On the feed's thread.
final class SharedEntryTable: @unchecked Sendable {
    // Unchecked: the mutable state is used only on the feed's thread.

    private var forms: [SharedEntries.Form: SharedEntries] = [:]
    /// The objects of this type that have entries.
    private var used: [SharedEntries] = []
    private(set) var byteCount = 0
    private static let byteCountMax = 16 << 20
    /// The number of entries that were written to be copied for other channels, even if no channel copied them. Any thread.
    let writtenCount = Atomic<Int>(0)

    /// The entries that a channel shares with others, from now until ``leave(_:)``.
    func join(_ stream: CheckedStream) -> SharedEntries {
        let form = SharedEntries.Form(stream)
        let entries = forms[form] ?? SharedEntries(self)
        forms[form] = entries
        entries.channelCount += 1
        return entries
    }

    func leave(_ channel: StreamChannel) {
        channel.entries.channelCount -= 1
        if channel.entries.channelCount == 0 { forms[SharedEntries.Form(channel.stream)] = nil }
    }

    fileprivate func take(_ count: Int, for entries: SharedEntries) -> Bool {
        writtenCount.wrappingAdd(1, ordering: .relaxed)
        guard byteCount + count <= Self.byteCountMax else { return false }
        byteCount += count
        if used.last !== entries { used.append(entries) }
        return true
    }

    fileprivate func giveBack(_ count: Int) { byteCount -= count }

    /// Forgets all entries: the step is over.
    func clear() {
        for entries in used { entries.clear() }
        used = []
    }
}

/// Immutable bytes that are shared without a copy.
package struct SharedBytes: @unchecked Sendable {
    // Unchecked: the buffer is not written to any more.

    /// The buffer with the bytes. It must not be written to.
    package let buffer: ByteBuffer

    /// The holder of the buffer, which has to live as long as the bytes do.
    package let holder: AnyObject

    /// Shares the bytes of a buffer. Its writer gives it up.
    package init(_ buffer: ByteBuffer, heldBy holder: AnyObject? = nil) {
        self.buffer = buffer
        self.holder = holder ?? buffer
    }

    package var count: Int { buffer.count }
}

extension MemoryBudget {
    /// Counts bytes for as long as their holder lives. No other thread reads them yet.
    func hold(_ bytes: SharedBytes) -> SharedBytes {
        bytes.buffer.trim()
        return count(bytes)
    }

    /// Counts bytes that other threads may read already, for as long as the result lives.
    func count(_ bytes: SharedBytes) -> SharedBytes {
        SharedBytes(bytes.buffer, heldBy: share(bytes.count, of: bytes))
    }
}
