import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore

extension ServedStore {
    /// Reads the reply to an earlier request, for a repeat: as it was recorded, with the present version of the store. If the store has
    /// another epoch, the reply's tags and versions get that epoch, too: the numbers of data that the store still has are the same.
    ///
    /// - Throws: ``RequestFault`` `.failed` when it can't be read.
    func repeated(_ record: [UInt8]) throws(RequestFault) -> WriteReply {
        let json = RequestScratch.current.reply
        var reply = try ReplyRecord.reply(in: record, json: json)
        reply.isRepeat = true
        let (former, present) = (reply.version, store.version)
        reply.version = present
        if former.epoch == present.epoch { return reply }
        reply.etag?.epoch = present.epoch
        func quoted(_ member: String, _ epoch: UInt64) -> String {
            let tag = StoreVersion(epoch: epoch, number: 0).description.dropLast()
            return "\"\(member)\":\"\(tag)"
        }
        var text = json.array[...]
        for member in ["version", "etag", "$version"] {
            text = text.replacing(
                Array(quoted(member, former.epoch).utf8),
                with: Array(quoted(member, present.epoch).utf8))
        }
        json.removeAll()
        json.append(Array(text))
        return reply
    }

    /// Has the reply to a repeat show what its caller may read now of the one object that was created: its place, version and, unless a
    /// minimal reply is wanted, JSON; nothing where that is nothing. Of other objects nothing is shown. What was recorded stays for those who may read everything.
    package func show(
        _ reply: inout WriteReply, to caller: Caller, _ form: ReplyForm
    ) throws(RequestFault) {
        guard caller.sight != nil else { return }
        if !reply.hasNoObjects {
            // It was recorded for who could read everything then.
            (reply.hasJSON, reply.etag, reply.isMinimal) = (false, nil, true)
        }
        guard let path = reply.created else { return }
        reply.created = nil
        guard path.element == nil else { return }
        let (name, key) = (ByteBuffer(capacity: 64), ByteBuffer(capacity: 64))
        name.append(path.projection ?? path.className)
        let writer = JSONWriter(key)
        switch path.key {
        case .null: writer.null()
        case .number(let text): key.append(text)
        case .text(let text): writer.string(text)
        }
        let object = ObjectRead(
            ObjectAddress(name.bytes, .json(key.bytes), of: key),
            isProjected: path.projection != nil, for: caller,
            form: form)
        let found: ObjectRead.Reply
        do throws(RequestFault) {
            found = try withRead(for: caller) { read throws(RequestFault) in
                try object.reply(read, self)
            }
        } catch {
            if error.kind == .notFound { return }
            throw error
        }
        withExtendedLifetime(name) {}
        reply.created = path
        reply.version = found.version
        reply.etag = found.etag
        reply.isMinimal = form.isMinimal
        reply.hasJSON = !form.isMinimal
        reply.quotesLargeInts = form.quotesLargeInts
    }
}
