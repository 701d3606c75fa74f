import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore

extension ServedStore {
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
        name.append(path.className)
        let writer = JSONWriter(key)
        switch path.key {
        case .null: writer.null()
        case .number(let text): key.append(text)
        case .text(let text): writer.string(text)
        }
        let object = ObjectRead(
            ObjectAddress(name.bytes, .json(key.bytes), of: key), isProjected: false, for: caller,
            ReadVersion(nil, of: self), form: form)
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
        reply.etag = found.etag
        reply.isMinimal = form.isMinimal
        reply.hasJSON = !form.isMinimal
        reply.quotesLargeInts = form.quotesLargeInts
    }
}
