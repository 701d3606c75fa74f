import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastTransfer

// Shared parts of imports.
extension RESTService {
    /// Starts an import of the request's body.
    ///
    /// - Throws: ``RequestFault`` of ``Transfers/makeImport(_:_:unpacker:onRoom:)``; `.tooOften` while another import of the same
    ///   user runs.
    func startImport(
        _ request: Request, _ target: ImportTarget, _ options: ImportOptions, _ upload: Upload
    ) throws(RequestFault) -> UploadStart {
        var unpacker: GzipUnpacker?
        // The server refuses other encodings.
        if let encoding = request.header(.contentEncoding), !encoding.equalsIgnoringCase("identity")
        {
            unpacker = GzipUnpacker(ratioMax: self.options.inflationRatioMax)
            if unpacker == nil { throw .tooBusy }
        }
        let slot = try userImports.take(for: boundedUser(request)) { _ in .anotherImport }
        let session = try transfers.makeImport(target, options, unpacker: unpacker) {
            upload.resume()
        }
        session.feed.refuse { upload.ending.map { RequestFault(ofAccess: $0) } }
        let sink = ImportSink(session, upload, slot)
        sink.start { result in
            switch result {
            case nil: return nil
            case .success(let report): return Self.response(report, target, options.format)
            case .failure(let fault):
                if !fault.kind.isOfRequest {
                    self.logger.log(.error, "an import failed", ("code", .text(fault.code)))
                }
                return self.response(fault, to: request.grant)
            }
        }
        return .accept(sink)
    }

    /// Answers with a report, which is one of a refusal when no line was taken.
    private static func response(
        _ report: ImportReport, _ target: ImportTarget, _ format: ImportOptions.Format
    ) -> Response {
        guard report.tookNothing else {
            return Response.json(200) { report.write(to: $0) }
                .with(.holdfastVersion, report.version.description)
        }
        var otherForms = ""
        if case .objects = target, format == .ndjson,
            ["malformed-json", "wrong-type"].contains(report.faults.first?.fault.code)
        {
            otherForms =
                " CSV comes with Content-Type: text/csv, MongoDB's extended JSON with "
                + "application/x-ndjson; profile=extended-json, GeoJSON with application/geo+json, "
                + "and a JSON array as one object a line (jq -c '.[]')."
        }
        let detail =
            "No line was taken: \(report.failedCount) \(report.failedCount == 1 ? "is" : "are") faulty, the first because: "
            + (report.faults.first?.text ?? "it is.") + otherForms
        let status = RequestFault.Kind.invalid.status
        return Response(
            status, .problem,
            Bytes(problem: status, "nothing-imported", detail) { report.write(to: &$0) }
        ).with(.holdfastVersion, report.version.description)
    }

    /// The options that every import's parameters state.
    func importOptions(_ request: Request) throws(RequestFault) -> ImportOptions {
        var importOptions = transfers.importOptions
        importOptions.rights = ImportRights(of: caller(request), in: served)
        importOptions.groupsFaults = true
        importOptions.mode = try createMode(request)
        if let text = request[query: "unknown"] {
            guard text == "ignore" || text == "fault" else {
                throw .parameter("unknown", "'unknown' is fault or ignore.")
            }
            importOptions.ignoresUnknown = text == "ignore"
        }
        return importOptions
    }

    /// Reads the parameters that say how a text other than NDJSON is written.
    func readForm(_ request: Request, _ options: inout ImportOptions) throws(RequestFault) {
        for (name, value) in request.query {
            let text = value.string
            if name == "map" {
                guard options.names.map(text) else {
                    throw .parameter(
                        "map",
                        "'map' is name=property, such as map=E-Mail=email, for each name once.")
                }
            } else if name == "skip" {
                options.names.skip(text)
            } else if name == "delimiter" {
                guard let byte = CSVForm.delimiter(text) else {
                    throw .parameter("delimiter", "'delimiter' is \(CSVForm.delimiterText).")
                }
                options.csv.delimiter = byte
            } else if name == "encoding" {
                guard let encoding = TextEncoding(rawValue: text) else {
                    throw .parameter("encoding", "'encoding' is \(TextEncoding.text).")
                }
                options.csv.encoding = encoding
            } else if name == "dateFormat" {
                guard options.csv.addDates(text) else {
                    throw .parameter("dateFormat", "'dateFormat' is \(CSVForm.datesText).")
                }
            } else if name == "trueWord" || name == "falseWord" {
                guard options.csv.setWord(text, for: name == "trueWord") else {
                    let parameter = name.string
                    throw .parameter(parameter, "'\(parameter)' is \(CSVForm.wordText).")
                }
            }
        }
        options.csv.hasDecimalComma = try request.flag("decimalComma")
        if let parameter = options.misplaced { throw .parameter(parameter.name, parameter.detail) }
        if let name = options.names.contradiction {
            throw .parameter(
                "skip",
                "'map' renames '\(RequestFault.shown(name))', and 'skip' leaves it out: state one of them."
            )
        }
    }

    /// Refuses a body of another media type than NDJSON.
    func requireNDJSON(_ request: Request) throws(RequestFault) {
        if let type = request.mediaTypeParts.first, !Self.ndjsonTypes.contains(type) {
            throw Self.wrongImportType("application/x-ndjson", "one object a line")
        }
    }

    /// The format of the body of an import into a class, by its media type; NDJSON without one.
    func importFormat(_ request: Request) throws(RequestFault) -> ImportOptions.Format {
        let parts = request.mediaTypeParts
        guard let type = parts.first else { return .ndjson }
        if type == "text/csv" { return .csv }
        if Self.geoJSONTypes.contains(type) { return .geoJSON }
        if Self.ndjsonTypes.contains(type) {
            // The profile is MongoDB's extended JSON.
            let isExtended = parts.dropFirst().contains {
                $0.filter { $0 != "\"" } == "profile=extended-json"
            }
            return isExtended ? .extendedJSON : .ndjson
        }
        throw Self.wrongImportType(
            "application/x-ndjson, text/csv, application/geo+json",
            "one object a line, CSV with a header line, or GeoJSON")
    }

    /// The media types of a FeatureCollection, and of features one behind the other (RFC 7946, RFC 8142).
    static let geoJSONTypes = ["application/geo+json", "application/geo+json-seq"]

    static let ndjsonTypes = [
        "application/x-ndjson", "application/ndjson", "application/jsonl",
    ]

    private static func wrongImportType(_ types: String, _ forms: String) -> RequestFault {
        let example = types.contains("csv") ? "text/csv' for CSV" : "application/x-ndjson'"
        return RequestFault(
            .unsupportedMediaType, "unsupported-media-type",
            "This import takes \(types): \(forms). Set the header Content-Type, such as curl -H "
                + "'Content-Type: \(example). A JSON array becomes lines with jq -c '.[]'.",
            alternatives: types)
    }
}

extension RequestFault {
    static let anotherImport = RequestFault(
        .tooOften, "too-many-imports",
        "Another import of this user runs; send this one when it has ended.", retryAfterSeconds: 1)

    /// The fault for a request after the end of its access.
    fileprivate init(ofAccess end: ServerFault) {
        self.init(end.status == 401 ? .unauthenticated : .forbidden, end.code.rawValue, end.detail)
    }
}

extension RESTService {
    /// `POST /v1/import`: imports the text of a `GET /v1/export`, of this store or another, while it comes in.
    func importStore(_ request: Request, _ upload: Upload) throws(RequestFault) -> UploadStart {
        var importOptions = try importOptions(request)
        let audit = auditLine(request)
        importOptions.noteSchemaChange = { audit.write() }
        try requireNDJSON(request)
        try request.requireAccepted("application/json")
        return try startImport(request, .store, importOptions, upload)
    }

    /// `POST /v1/classes/{class}/import`: takes NDJSON, one object a line, CSV, GeoJSON or MongoDB's extended JSON, while it
    /// comes in.
    func importObjects(_ request: Request, _ upload: Upload) throws(RequestFault) -> UploadStart {
        var importOptions = try importOptions(request)
        importOptions.isAtomic = try request.flag("atomic")
        importOptions.format = try importFormat(request)
        try readForm(request, &importOptions)
        try request.requireAccepted("application/json")
        return try startImport(
            request, .objects(className: request.parameter(0).string), importOptions, upload)
    }
}
