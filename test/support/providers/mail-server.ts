// A mail server: it takes mail by SMTP, delivers it after a while, and shows its mailbox by IMAP, as far as searching it goes.

import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

export interface MailManner {
  /** From the whole message until it is in the mailbox, which it will be also when its sender is gone. */
  readonly deliverMs?: number;
  /** From the whole message until its sender is told. */
  readonly answerMs?: number;
  /** The connection is cut once the whole message is there, and it is delivered when this resolves. */
  readonly cutUntil?: Promise<void>;
  /** Told instead, and it is not delivered: an SMTP status like 451 or 550. */
  readonly refuse?: number;
}

export interface MailServer extends AsyncDisposable {
  readonly smtpPort: number;
  readonly imapPort: number;
  /** Message-IDs in the order of their delivery. */
  readonly delivered: string[];
  manner: (messageId: string) => MailManner;
  quiet(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const delivered: string[] = [];
  const underWay = new Set<Promise<void>>();

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData: (stream, _session, callback) => {
      let text = '';
      stream.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
      stream.on('end', () => {
        const messageId = /^message-id: *(<[^>]+>)/im.exec(text)?.[1] ?? '';
        // A sender that is killed in the middle of a message has sent none.
        if (stream.sizeExceeded || messageId === '') return callback(new Error('no Message-ID'));
        const { deliverMs = 0, answerMs = 0, cutUntil, refuse } = server.manner(messageId);
        if (refuse !== undefined) {
          callback(Object.assign(new Error('refused'), { responseCode: refuse }));
          return;
        }
        const delivery = (cutUntil ?? delay(deliverMs)).then(() => {
          delivered.push(messageId);
          underWay.delete(delivery);
        });
        underWay.add(delivery);
        if (cutUntil !== undefined) for (const sender of senders) sender.destroy();
        else setTimeout(() => callback(), answerMs);
      });
    },
  });
  smtp.on('error', () => {}); // A sender that is killed.
  const smtpServer = smtp.listen(0, '127.0.0.1');
  const senders = new Set<Socket>();
  smtpServer.on('connection', (socket: Socket) => senders.add(socket));
  const imap = createServer((socket) => serveImap(socket, delivered)).listen(0, '127.0.0.1');
  await Promise.all([once(smtpServer, 'listening'), once(imap, 'listening')]);
  const sockets = new Set<Socket>();
  imap.on('connection', (socket) => sockets.add(socket));
  const server: MailServer = {
    smtpPort: (smtpServer.address() as AddressInfo).port,
    imapPort: (imap.address() as AddressInfo).port,
    delivered,
    manner: () => ({}),
    quiet: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      imap.close();
      await new Promise<void>((resolve) => smtp.close(resolve));
    },
  };
  return server;
}

/** One mailbox, `INBOX`, in which a message is its Message-ID. */
function serveImap(socket: Socket, delivered: readonly string[]): void {
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  socket.on('error', () => {}); // A client that is killed.
  say('* OK [CAPABILITY IMAP4rev1] ready');
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
    const lines = text.split('\r\n');
    text = lines.pop()!;
    for (const line of lines) {
      const [tag, ...words] = line.split(' ');
      const command = words.join(' ');
      if (/^(?:select|examine) "?inbox"?$/i.test(command)) {
        say(`* ${delivered.length} EXISTS`);
        say('* FLAGS (\\Seen)');
        say('* OK [UIDVALIDITY 1] ok');
        say(`* OK [UIDNEXT ${delivered.length + 1}] ok`);
      } else if (/^uid search/i.test(command)) {
        const asked = /header "?message-id"? "?(<[^>"]+>)"?/i.exec(command)?.[1];
        const found = delivered.flatMap((messageId, at) => (messageId === asked ? [at + 1] : []));
        say(`* SEARCH${found.map((uid) => ` ${uid}`).join('')}`);
      } else if (/^capability/i.test(command)) say('* CAPABILITY IMAP4rev1');
      else if (/^(?:list|lsub)/i.test(command)) {
        // The first question is for what stands between folders.
        const isRoot = command.endsWith(' "" ""');
        if (isRoot || /inbox"?$/i.test(command)) {
          say(`* ${words[0]!.toUpperCase()} ${isRoot ? '(\\Noselect) "/" ""' : '() "/" INBOX'}`);
        }
      } else if (/^namespace/i.test(command)) say('* NAMESPACE (("" "/")) NIL NIL');
      else if (/^(?:select|examine)/i.test(command)) {
        say(`${tag} NO no such mailbox`);
        continue;
      } else if (/^logout/i.test(command)) say('* BYE bye');
      say(`${tag} OK done`);
    }
  });
}
