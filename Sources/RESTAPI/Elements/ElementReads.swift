import Bytes
import HTTPServer
import ObjectJSON
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// Answers with one element as `{"value":…}`: `getElement` and `getElementByKey`.
    func readElement(_ request: Request, _ source: ElementSource) -> Outcome {
        answering { () throws(RequestFault) in
            try request.requireAccepted("application/json")
            let parameters = try Parameters(
                request, known: source == .parameter ? ["key", "minVersion"] : ["minVersion"])
            let version = try minVersion(parameters)
            return whenAtVersion(version) {
                self.answering { () throws(RequestFault) in
                    .respond(try self.elementReply(request, source))
                }
            }
        }
    }

    private func elementReply(
        _ request: Request, _ source: ElementSource
    ) throws(RequestFault) -> Response {
        let scratch = RequestScratch.current
        let version = store.version
        let read = try served.stored { () throws(StoreError) in
            try store.read(reusing: scratch.read.take())
        }
        defer {
            read.close()
            scratch.read = read
        }
        let names = scratch.names(of: read.rows, served)
        let target = try elementTarget(request, source, names, scratch)
        guard let (rowClass, _, row) = try find(request, .path, names, read, scratch) else {
            throw RequestFault(.objectNotFound)
        }
        var inner: MixedView?
        var element: (part: CollectionView, place: Int)?
        if target.storage.shape == .single {
            let field = rowClass.field(target.member, in: row)
            inner = try target.value(inside: field.isNull ? nil : field.text(read))
        } else {
            let collection = rowClass.collection(target.member, in: row, read)
            guard let position = try Self.position(of: target, in: collection),
                let (part, place) = collection.element(position)
            else { throw RequestFault(.elementNotFound) }
            if target.inner == nil {
                element = (part, place)
            } else {
                inner = try target.value(inside: part.isNull(place) ? nil : part.bytes(place))
            }
        }
        let etag = StoreVersion(epoch: read.epoch, number: row.version)
        var response: Response
        if let tags = try EntityTags.read(.ifNoneMatch, of: request),
            tags.matchesWeakly(etag.description)
        {
            response = Response(304)
        } else {
            let preferences = try Preferences(request)
            scratch.reply.removeAll()
            var writer = ObjectWriter(scratch.reply, names: names, read: read, epoch: read.epoch)
            writer.quotesLargeInts = preferences.quotesLargeInts
            scratch.reply.append("{\"value\":" as StaticString)
            writer.limitCollections(served.limits)
            if let inner { writer.write(mixed: inner) }
            if let (part, place) = element {
                writer.writeElement(place, of: part, target.member, rowClass)
            }
            scratch.reply.append("}" as StaticString)
            try served.stored { () throws(StoreError) in try read.checkFailure() }
            response = Response(200, .json, scratch.takeReply())
            if let applied = preferences.applied(minimal: false) {
                response.headers.add(.preferenceApplied, applied)
            }
        }
        response.headers.addETag(etag)
        response.headers.addStoreVersion(version)
        return response
    }

    /// Where an element stands, or would stand, in its collection; nil for a key that is not there.
    private static func position(
        of target: ElementTarget, in collection: StoredCollection
    ) throws(RequestFault) -> Int? {
        switch target.address {
        case .position(let position): return position
        case .key(let key): return key.withUnsafeBytes { collection.index(ofKey: $0) }
        case .none:
            throw .parameter(
                "key", "This path needs the key of a map's entry as JSON, such as ?key=%22a%2Fb%22."
            )
        }
    }
}
