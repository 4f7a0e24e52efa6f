import { Button, Menu, MenuItem, PopoverNext } from '@blueprintjs/core';
import { useRef, useState, type ReactElement } from 'react';
import { focusFirst, onMenuKey, onMenuKeyUp } from './menu-keys.ts';

export interface MenuChoice {
  readonly key: string;
  readonly text: string;
  readonly icon: ReactElement;
  /** Ends something by force. */
  readonly danger?: boolean;
  readonly choose: () => void;
}

interface Props {
  /** Of the button, for who does not see its icon. */
  readonly label: string;
  /** On hover. */
  readonly title: string;
  readonly menuLabel: string;
  readonly icon: ReactElement;
  /** Whether it stands among larger buttons. */
  readonly large?: boolean;
  readonly disabled: boolean;
  readonly tabIndex?: number;
  readonly choices: readonly MenuChoice[];
}

/** A button with a menu. A popover for each of five hundred rows would be dear: it is there while it is open. */
export function MenuButton(props: Props) {
  const { label, title, menuLabel, icon, large = false, disabled, tabIndex = 0, choices } = props;
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <span className="hf-menu-room">
      <Button
        ref={button}
        variant={large ? 'outlined' : 'minimal'}
        {...(large ? {} : { size: 'small' as const })}
        icon={icon}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        title={title}
        disabled={disabled}
        tabIndex={tabIndex}
        onClick={() => (open ? close() : setOpen(true))}
      />
      {open && !disabled && (
        <PopoverNext
          isOpen
          placement="bottom-end"
          arrow={false}
          animation="minimal"
          autoFocus={false}
          enforceFocus={false}
          shouldReturnFocusOnClose={false}
          onInteraction={(next, event) => {
            // Pressing the button again is the button's own affair; a press elsewhere takes the focus there.
            const inButton = event?.target instanceof Node && button.current?.contains(event.target);
            if (!next && inButton !== true) setOpen(false);
          }}
          renderTarget={({ ref }) => <span ref={ref} className="hf-menu-anchor" />}
          content={
            <Menu
              aria-label={menuLabel}
              ulRef={focusFirst}
              onKeyDownCapture={(event) => onMenuKey(event, close)}
              onKeyUp={onMenuKeyUp}
            >
              {choices.map(({ key, text, icon: image, danger = false, choose }) => (
                <MenuItem
                  key={key}
                  icon={image}
                  text={text}
                  {...(danger ? { intent: 'danger' as const } : {})}
                  shouldDismissPopover={false}
                  onClick={() => {
                    // The button has the focus before a question opens, so that the question gives it back to something.
                    close();
                    choose();
                  }}
                />
              ))}
            </Menu>
          }
        />
      )}
    </span>
  );
}
